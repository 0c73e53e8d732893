// expect: true
// library: tinyexpr
// files: tinyexpr.c
/* A missing parenthesis is reported. */
#include "harness.h"
#include "tinyexpr.h"

int main(void) {
    int error = 0;
    te_expr *expr = te_compile("(1+2", 0, 0, &error);
    assert(expr == 0);
    assert(error > 0);
    return 0;
}
