// check: memory --malloc may-fail
// expect: FALSE(valid-deref)
#include <stdlib.h>
#include <string.h>
int __VERIFIER_nondet_int(void);
int main(void) {
  char *p = strdup("ab");
  char *q = malloc(2);
  q[0] = p ? p[0] : 0;
  free(p);
  free(q);
  return 0;
}
