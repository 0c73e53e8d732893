// expect: false
// library: crypto
// files: arcfour.c
// options: --check div-by-zero
// input: 0
/* The length of the key is a divisor. */
#include "harness.h"
#include "arcfour.h"

int main(void) {
    BYTE state[256], key[4] = {1, 2, 3, 4};
    int length = __VERIFIER_nondet_uchar() % 5;
    arcfour_key_setup(state, key, length);
    return 0;
}
