// expect: true
// library: crypto
// files: md5.c
/* Two updates of any lengths up to 70 leave less than a block pending and lose no byte. */
#include "harness.h"
#include "md5.h"

int main(void) {
    MD5_CTX ctx;
    static const BYTE data[70];
    size_t first = __VERIFIER_nondet_uchar(), second = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(first <= 70 && second <= 70);
    md5_init(&ctx);
    md5_update(&ctx, data, first);
    md5_update(&ctx, data, second);
    assert(ctx.datalen < 64);
    assert(ctx.bitlen / 8 + ctx.datalen == first + second);
    return 0;
}
