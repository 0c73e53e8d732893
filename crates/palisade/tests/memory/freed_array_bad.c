// check: memory
// expect: FALSE(valid-deref)
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) {
  int *last = 0;
  for (int k = 0; k < 3; k++) {
    int *a = malloc(4 * sizeof(int));
    for (int i = 0; i < 4; i++) a[i] = k;
    last = a + 2;
    free(a);
  }
  return *last;
}
