// check: memory
// expect: FALSE(valid-deref)
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) {
  int *p = malloc(sizeof *p);
  *p = 3;
  int *q = p;
  free(p);
  return *q - 3;
}
