// check: leaks
// expect: FALSE(valid-memtrack)
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
void f(void) { int *p = malloc(4); *p = 1; }
int main(void) {
  f();
  exit(0);
}
