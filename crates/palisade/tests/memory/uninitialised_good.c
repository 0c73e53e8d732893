// check: memory
// expect: TRUE
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) {
  int x = 0, *p = 0;
  if (__VERIFIER_nondet_int()) p = &x;
  if (p) *p = 1;
  return 0;
}
