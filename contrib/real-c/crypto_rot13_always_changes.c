// expect: false
// library: crypto
// files: rot-13.c
// input: 49 65
/* Digits stay as they are. */
#include "harness.h"
#include "rot-13.h"

int main(void) {
    char text[3];
    any_string(text, 2);
    __VERIFIER_assume(text[0] >= '0' && text[0] <= 'z');
    char before = text[0];
    rot13(text);
    assert(text[0] != before);
    return 0;
}
