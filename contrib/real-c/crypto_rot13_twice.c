// expect: true
// library: crypto
// files: rot-13.c
/* Twice is the identity for every text of up to four characters. */
#include "harness.h"
#include "rot-13.h"

int main(void) {
    char text[5], before[5];
    any_string(text, 4);
    for (int i = 0; i < 5; i++)
        before[i] = text[i];
    rot13(text);
    rot13(text);
    for (int i = 0; i < 5; i++)
        assert(text[i] == before[i]);
    return 0;
}
