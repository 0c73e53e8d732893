// check: leaks
// expect: TRUE
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int *g;
int main(void) {
  g = malloc(4);
  int *p = malloc(4);
  free(p);
  return 0;
}
