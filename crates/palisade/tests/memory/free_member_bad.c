// check: memory
// expect: FALSE(valid-free)
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
struct s { int a, b; };
int main(void) {
  for (int i = 0; i < 2; i++) {
    struct s *p = malloc(sizeof *p);
    int *q = &p->b;
    *q = 1;
    free(q);
  }
  return 0;
}
