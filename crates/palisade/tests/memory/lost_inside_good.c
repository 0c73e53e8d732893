// check: leaks
// expect: TRUE
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
struct node { struct node *next; int *value; };
static struct node *list;
int main(void) {
  int k = 0;
  do {
    struct node *n = malloc(sizeof *n);
    n->value = malloc(sizeof *n->value);
    n->next = list;
    list = n;
  } while (__VERIFIER_nondet_int() && ++k < 3);
  while (list) {
    struct node *n = list->next;
    free(list->value);
    free(list);
    list = n;
  }
  return 0;
}
