// check: memory
// expect: FALSE(valid-free)
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) {
  int *p = malloc(3 * sizeof(int));
  int *q = p + 1;
  free(q);
  return 0;
}
