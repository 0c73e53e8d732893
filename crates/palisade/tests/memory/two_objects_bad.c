// check: memory
// expect: FALSE(valid-deref)
// sanitizers: blind, the access is to another variable
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) {
  int a[10], b[10];
  int *p = __VERIFIER_nondet_int() ? a : b;
  p[26] = 1;
  return 0;
}
