// check: memory
// expect: TRUE
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) {
  int x = 1, *p = __VERIFIER_nondet_int() ? &x : 0;
  if (p) *p = 2;
  return x;
}
