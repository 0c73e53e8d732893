// check: memory
// expect: TRUE
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) {
  int a[8], i = __VERIFIER_nondet_int();
  if (i < 0 || i > 7) return 0;
  a[i] = 1;
  return a[i];
}
