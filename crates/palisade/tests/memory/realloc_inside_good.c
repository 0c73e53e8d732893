// check: memory
// expect: TRUE
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) {
  int *p = malloc(4 * sizeof *p), n = __VERIFIER_nondet_int();
  p[0] = 7;
  if (n) { p++; p--; }
  p = realloc(p, 8 * sizeof *p);
  free(p);
  return 0;
}
