// check: valid-memcleanup
// expect: FALSE(valid-memcleanup)
// sanitizers: blind, a block that a global variable points to is no leak to them
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int *g;
int main(void) {
  g = malloc(4);
  if (!__VERIFIER_nondet_int()) return 0;
  *g = 1;
  free(g);
  return 0;
}
