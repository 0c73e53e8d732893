// check: memory,leaks --malloc may-fail
// expect: TRUE
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) {
  int *p = malloc(2 * sizeof *p), *q;
  if (!p) return 0;
  p[0] = 1;
  p[1] = 2;
  q = realloc(p, 3 * sizeof *p);
  if (!q) { free(p); return 0; }
  q[2] = q[0] + q[1];
  if (q[2] != 3) *(int *)0 = 1;
  free(q);
  return 0;
}
