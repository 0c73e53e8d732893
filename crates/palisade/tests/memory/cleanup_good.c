// check: valid-memcleanup
// expect: TRUE
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int *g;
int main(void) {
  g = malloc(4);
  if (!__VERIFIER_nondet_int()) { free(g); return 0; }
  *g = 1;
  free(g);
  return 0;
}
