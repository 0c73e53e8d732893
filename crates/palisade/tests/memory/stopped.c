// check: valid-memcleanup
// expect: UNKNOWN(unsupported: blocks that are left by `abort`
// Nobody knows whether this ends a program in the sense of the property.
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
void stop_the_machine(void) __attribute__((noreturn));

int main(void) {
    char *p = malloc(1);
    if (__VERIFIER_nondet_int()) stop_the_machine();
    free(p);
    return 0;
}
