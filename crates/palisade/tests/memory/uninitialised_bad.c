// check: memory
// expect: FALSE(valid-deref)
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
struct s { struct s *next; int x; };
int main(void) {
  struct s *p = malloc(sizeof *p);
  p->x = 1;
  p->next->x = 2;
  free(p);
  return 0;
}
