// expect: true
// library: crypto
// files: aes.c
/* The example of FIPS 197, appendix C.1. */
#include "harness.h"
#include "aes.h"

int main(void) {
    BYTE key[16], text[16], code[16];
    WORD schedule[60];
    static const BYTE expected[16] = {0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30,
                                      0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a};
    for (int i = 0; i < 16; i++) {
        key[i] = i;
        text[i] = i * 0x11;
    }
    aes_key_setup(key, schedule, 128);
    aes_encrypt(text, code, schedule, 128);
    for (int i = 0; i < 16; i++)
        assert(code[i] == expected[i]);
    return 0;
}
