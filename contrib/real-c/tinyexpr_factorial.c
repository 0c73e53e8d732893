// expect: true
// library: tinyexpr
/* Factorials of small numbers: fac(n) = n * fac(n - 1). */
#include "harness.h"
#include "tinyexpr.c"

int main(void) {
    unsigned n = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(n >= 1 && n <= 8);
    assert(fac(n) == n * fac(n - 1));
    return 0;
}
