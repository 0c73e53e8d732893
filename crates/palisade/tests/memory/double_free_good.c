// check: memory
// expect: TRUE
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) {
  int *p = malloc(4);
  free(p);
  p = 0;
  free(p);
  return 0;
}
