// check: memory
// expect: FALSE(valid-free)
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) {
  int *p = malloc(4), *q = p;
  free(p);
  free(q);
  return 0;
}
