// expect: false
// library: crypto
// files: des.c
/* With a weak key, encrypting twice gives the text back. */
#include "harness.h"
#include "des.h"

int main(void) {
    BYTE key[8], text[8], once[8], twice[8], schedule[16][6];
    for (int i = 0; i < 8; i++) {
        key[i] = 0x01;
        text[i] = 16 * i + 3;
    }
    des_key_setup(key, schedule, DES_ENCRYPT);
    des_crypt(text, once, schedule);
    des_crypt(once, twice, schedule);
    int same = 0;
    for (int i = 0; i < 8; i++)
        same += twice[i] == text[i];
    assert(same < 8);
    return 0;
}
