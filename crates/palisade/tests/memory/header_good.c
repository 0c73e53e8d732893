// check: memory
// expect: TRUE
#include <stdlib.h>
struct head { short kind; void *next; };
int __VERIFIER_nondet_int(void);
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n <= 0 || n > 9) return 0;
  struct head *h = malloc(sizeof *h + n);
  char *bytes = (char *)(h + 1);
  h->kind = 1;
  h->next = h;
  bytes[n - 1] = 2;
  free(h->next);
  return 0;
}
