// expect: true
// library: utf8
/* The position found has the character, and there is none before it. */
#include "harness.h"
#include "utf8.h"

int main(void) {
    char text[4];
    any_string(text, 3);
    for (int i = 0; i < 3; i++)
        __VERIFIER_assume(text[i] >= 0);
    char *place = utf8chr(text, 'x');
    for (int i = 0; i < 3 && text[i] && text + i != place; i++)
        assert(text[i] != 'x');
    assert(place == 0 || *place == 'x');
    return 0;
}
