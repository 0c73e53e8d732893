// check: memory
// expect: FALSE(valid-deref)
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) {
  int *p = malloc(2 * sizeof *p), *q;
  p[0] = 1;
  p[1] = 2;
  q = realloc(p, 300 * sizeof *p);
  if (__VERIFIER_nondet_int()) q[0] = p[0];
  free(q);
  return 0;
}
