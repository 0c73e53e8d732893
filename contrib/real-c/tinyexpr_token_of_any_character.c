// expect: false
// library: tinyexpr
// input: 35
/* Not every character begins a token. */
#include "harness.h"
#include "tinyexpr.c"

int main(void) {
    char text[2];
    any_string(text, 1);
    __VERIFIER_assume(text[0] > 32 && !isalnum(text[0]) && text[0] != '.');
    state s = {0};
    s.start = s.next = text;
    next_token(&s);
    assert(s.type != TOK_ERROR);
    return 0;
}
