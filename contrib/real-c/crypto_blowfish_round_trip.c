// expect: true
// library: crypto
// files: blowfish.c
/* Decryption undoes encryption for one key and one text. */
#include "harness.h"
#include "blowfish.h"

static BLOWFISH_KEY schedule;

int main(void) {
    static const BYTE key[8] = {0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10};
    BYTE text[8] = {1, 2, 3, 4, 5, 6, 7, 8}, code[8], again[8];
    blowfish_key_setup(key, &schedule, 8);
    blowfish_encrypt(text, code, &schedule);
    blowfish_decrypt(code, again, &schedule);
    for (int i = 0; i < 8; i++)
        assert(again[i] == text[i]);
    return 0;
}
