// expect: true
// library: crypto
// files: md2.c
/* The digest of "abc" from RFC 1319. */
#include "harness.h"
#include "md2.h"

int main(void) {
    static const BYTE expected[16] = {0xda, 0x85, 0x3b, 0x0d, 0x3f, 0x88, 0xd9, 0x9b,
                                      0x30, 0x28, 0x3a, 0x69, 0xe6, 0xde, 0xd6, 0xbb};
    MD2_CTX ctx;
    BYTE hash[16];
    md2_init(&ctx);
    md2_update(&ctx, (const BYTE *)"abc", 3);
    md2_final(&ctx, hash);
    for (int i = 0; i < 16; i++)
        assert(hash[i] == expected[i]);
    return 0;
}
