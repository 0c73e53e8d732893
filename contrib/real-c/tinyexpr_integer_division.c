// expect: false
// library: tinyexpr
// files: tinyexpr.c
/* Numbers are no integers: one half is not zero. */
#include "harness.h"
#include "tinyexpr.h"

int main(void) {
    int error;
    assert(te_interp("1/2", &error) == 0.0);
    return 0;
}
