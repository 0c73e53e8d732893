// expect: false
// library: tinyexpr
// input: 1 2
/* There is no number for "choose two out of one". */
#include "harness.h"
#include "tinyexpr.c"

int main(void) {
    unsigned n = __VERIFIER_nondet_uchar() % 8, r = __VERIFIER_nondet_uchar() % 8;
    double value = ncr(n, r);
    assert(value == value);
    return 0;
}
