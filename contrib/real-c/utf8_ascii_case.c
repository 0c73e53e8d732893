// expect: true
// library: utf8
/* Of three ASCII characters exactly the letters change. */
#include "harness.h"
#include "utf8.h"

int main(void) {
    char text[4], before[4];
    any_string(text, 3);
    for (int i = 0; i < 4; i++) {
        __VERIFIER_assume(text[i] >= 0);
        before[i] = text[i];
    }
    utf8upr(text);
    for (int i = 0; before[i]; i++) {
        if (before[i] >= 'a' && before[i] <= 'z')
            assert(text[i] == before[i] - 32);
        else
            assert(text[i] == before[i]);
    }
    return 0;
}
