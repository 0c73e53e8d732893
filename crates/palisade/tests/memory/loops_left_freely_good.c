// check: memory,leaks
// expect: TRUE
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

int main(void) {
    for (;;) {
        int *p = malloc(sizeof *p);
        *p = 1;
        free(p);
        if (__VERIFIER_nondet_int() == 0) break;
    }
    return 0;
}
