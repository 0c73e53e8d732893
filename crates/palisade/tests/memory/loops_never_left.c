// check: memory,leaks
// expect: UNKNOWN(unsupported: whether memory is lost before
// The block is lost in the first round. A run that stays in the loop divides by nothing.
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

int main(void) {
    char *p = malloc(1);
    int zero = 0;
    while (__VERIFIER_nondet_int())
        p = 0;
    if (!p) zero = 1 / zero;
    free(p);
    return zero;
}
