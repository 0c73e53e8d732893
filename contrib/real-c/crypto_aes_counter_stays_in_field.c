// expect: true
// library: crypto
// files: aes.c
/* Incrementing a two-byte counter leaves the nonce alone and adds one modulo 65536. */
#include "harness.h"
#include "aes.h"

int main(void) {
    BYTE iv[16], before[16];
    any_bytes(iv, 16);
    for (int i = 0; i < 16; i++)
        before[i] = iv[i];
    increment_iv(iv, 2);
    for (int i = 0; i < 14; i++)
        assert(iv[i] == before[i]);
    uint16_t old = (uint16_t)(before[14] << 8 | before[15]), new = (uint16_t)(iv[14] << 8 | iv[15]);
    assert(new == (uint16_t)(old + 1));
    return 0;
}
