// check: memory
// expect: FALSE(valid-free)
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) {
  void *old = 0;
  for (int i = 0; i < 3; i++) {
    void *p = malloc(8);
    free(p);
    old = p;
  }
  free(old);
  return 0;
}
