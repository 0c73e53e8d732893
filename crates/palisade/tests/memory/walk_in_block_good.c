// check: memory
// expect: TRUE
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) {
  for (int k = 0; k < 3; k++) {
    char *s = malloc(3);
    for (char *p = s; p < s + 3; p++) *p = 'a';
    free(s);
  }
  return 0;
}
