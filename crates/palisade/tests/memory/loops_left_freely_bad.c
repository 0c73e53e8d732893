// check: memory,leaks
// expect: FALSE(valid-memtrack)
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

int main(void) {
    for (;;) {
        int *p = malloc(sizeof *p);
        *p = 1;
        if (!__VERIFIER_nondet_int()) break;
        free(p);
    }
    return 0;
}
