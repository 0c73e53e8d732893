// check: memory
// expect: FALSE(valid-deref)
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) {
  int a[8], i = __VERIFIER_nondet_int();
  if (i < 0 || i > 8) return 0;
  a[i] = 1;
  return 0;
}
