// check: memory
// expect: FALSE(valid-deref)
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) {
  int *p, n = __VERIFIER_nondet_int();
  if (n < 1 || n > 4) return 0;
  p = malloc(4 * sizeof *p);
  p[0] = 7;
  p = realloc(p, n * sizeof *p);
  p[2] = 1;
  free(p);
  return 0;
}
