// check: memory,leaks --malloc may-fail
// expect: FALSE(valid-deref)
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) {
  int *p = malloc(sizeof *p), *q = malloc(sizeof *q);
  if (!p) return 0;
  *p = 1;
  *q = 1;
  free(p);
  free(q);
  return 0;
}
