// expect: true
// library: crypto
// files: des.c
/* A known answer, and the way back. */
#include "harness.h"
#include "des.h"

int main(void) {
    static const BYTE key[8] = {0x13, 0x34, 0x57, 0x79, 0x9b, 0xbc, 0xdf, 0xf1};
    static const BYTE text[8] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef};
    static const BYTE expected[8] = {0x85, 0xe8, 0x13, 0x54, 0x0f, 0x0a, 0xb4, 0x05};
    BYTE forth[16][6], back[16][6], code[8], again[8];
    des_key_setup(key, forth, DES_ENCRYPT);
    des_key_setup(key, back, DES_DECRYPT);
    des_crypt(text, code, forth);
    des_crypt(code, again, back);
    for (int i = 0; i < 8; i++) {
        assert(code[i] == expected[i]);
        assert(again[i] == text[i]);
    }
    return 0;
}
