// expect: false
// library: crypto
// files: aes.c
// input: 5
/* A caller that ignores the block size gets an error code. */
#include "harness.h"
#include "aes.h"

int main(void) {
    BYTE key[16] = {1}, iv[16] = {2}, in[32] = {3}, out[32];
    WORD schedule[60];
    size_t length = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(length <= 32);
    aes_key_setup(key, schedule, 128);
    int ok = aes_encrypt_cbc(in, length, out, schedule, 128, iv);
    assert(ok);
    return 0;
}
