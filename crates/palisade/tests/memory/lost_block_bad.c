// check: leaks
// expect: FALSE(valid-memtrack)
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int *g;
int main(void) {
  g = malloc(4);
  g = malloc(4);
  return 0;
}
