// expect: false
// library: utf8
// input: 65 65 65 65
/* A copy that is as long as the buffer has no terminator. */
#include "harness.h"
#include "utf8.h"

int main(void) {
    char from[5], to[3] = {1, 1, 1};
    any_string(from, 4);
    __VERIFIER_assume(from[0] != 0);
    utf8ncpy(to, from, 3);
    assert(to[0] == 0 || to[1] == 0 || to[2] == 0);
    return 0;
}
