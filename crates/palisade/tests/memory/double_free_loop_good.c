// check: memory
// expect: TRUE
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) {
  for (int i = 0; i < 3; i++) {
    void *p = malloc(8);
    free(p);
  }
  return 0;
}
