// check: memory
// expect: FALSE(valid-free)
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) {
  int x = 0, *p = __VERIFIER_nondet_int() ? malloc(sizeof(int)) : &x;
  free(p);
  return x;
}
