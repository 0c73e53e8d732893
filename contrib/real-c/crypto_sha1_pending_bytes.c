// expect: false
// library: crypto
// files: sha1.c
// input: 64
/* The number of pending bytes is not the number of bytes given: a full block is consumed. */
#include "harness.h"
#include "sha1.h"

int main(void) {
    SHA1_CTX ctx;
    static const BYTE data[80];
    size_t length = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(length <= 80);
    sha1_init(&ctx);
    sha1_update(&ctx, data, length);
    assert(ctx.datalen == length);
    return 0;
}
