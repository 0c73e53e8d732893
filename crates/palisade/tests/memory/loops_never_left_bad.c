// check: memory,leaks --timeout 2
// expect: UNKNOWN
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

/* Every round loses a block, and no run that ends shows it: an assumption ends those that leave the loop. */
void __VERIFIER_assume(int);

int main(void) {
    while (__VERIFIER_nondet_int()) {
        int *p = malloc(sizeof *p);
        *p = 1;
    }
    __VERIFIER_assume(0);
    return 0;
}
