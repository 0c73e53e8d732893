// check: memory,leaks --timeout 2
// expect: UNKNOWN
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

/* The outer loop may be left, but not from the inner one. */
int main(void) {
    while (__VERIFIER_nondet_int()) {
        int n = 0;
        for (;;) {
            int *p = malloc(sizeof *p);
            *p = n++;
            if (n > 100) n = 0;
        }
    }
    return 0;
}
