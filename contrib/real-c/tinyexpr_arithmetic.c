// expect: true
// library: tinyexpr
// files: tinyexpr.c
/* Precedence of the operators. */
#include "harness.h"
#include "tinyexpr.h"

int main(void) {
    int error = 1;
    double value = te_interp("2+3*4", &error);
    assert(error == 0);
    assert(value == 14.0);
    return 0;
}
