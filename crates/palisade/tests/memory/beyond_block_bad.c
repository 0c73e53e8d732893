// check: memory
// expect: FALSE(valid-deref)
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) {
  int *last = 0;
  for (int k = 0; k < 2; k++) {
    int *a = malloc(6 * sizeof(int));
    a[7] = k;
    free(last);
    last = a;
  }
  free(last);
  return 0;
}
