// check: memory
// expect: TRUE
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) {
  int a[10], b[10];
  int *p = __VERIFIER_nondet_int() ? a : b;
  p[9] = 1;
  return 0;
}
