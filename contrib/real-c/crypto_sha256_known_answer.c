// expect: true
// library: crypto
// files: sha256.c
/* The digest of "abc", in two updates. */
#include "harness.h"
#include "sha256.h"

int main(void) {
    static const BYTE expected[32] = {
        0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
        0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad};
    SHA256_CTX ctx;
    BYTE hash[32];
    sha256_init(&ctx);
    sha256_update(&ctx, (const BYTE *)"a", 1);
    sha256_update(&ctx, (const BYTE *)"bc", 2);
    sha256_final(&ctx, hash);
    for (int i = 0; i < 32; i++)
        assert(hash[i] == expected[i]);
    return 0;
}
