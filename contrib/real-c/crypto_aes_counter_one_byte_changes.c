// expect: false
// library: crypto
// files: aes.c
// input: 0 0 0 255
/* A carry changes more than one byte of the counter. */
#include "harness.h"
#include "aes.h"

int main(void) {
    BYTE iv[16] = {0}, before[4];
    any_bytes(iv + 12, 4);
    for (int i = 0; i < 4; i++)
        before[i] = iv[12 + i];
    increment_iv(iv, 4);
    int changed = 0;
    for (int i = 0; i < 4; i++)
        changed += iv[12 + i] != before[i];
    assert(changed == 1);
    return 0;
}
