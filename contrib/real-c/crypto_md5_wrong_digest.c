// expect: false
// library: crypto
// files: md5.c
/* One digit of the expected digest of the empty text is mistyped. */
#include "harness.h"
#include "md5.h"

int main(void) {
    static const BYTE expected[16] = {0xd4, 0x1d, 0x8c, 0xd9, 0x8f, 0x00, 0xb2, 0x04,
                                      0xe9, 0x80, 0x09, 0x98, 0xec, 0xf8, 0x42, 0x7f};
    MD5_CTX ctx;
    BYTE hash[16];
    md5_init(&ctx);
    md5_final(&ctx, hash);
    for (int i = 0; i < 16; i++)
        assert(hash[i] == expected[i]);
    return 0;
}
