// check: memory,leaks --malloc may-fail
// expect: TRUE
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) {
  int *p = malloc(sizeof *p);
  if (!p) return 0;
  *p = 1;
  free(p);
  return 0;
}
