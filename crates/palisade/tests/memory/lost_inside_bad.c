// check: leaks
// expect: FALSE(valid-memtrack)
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
struct node { struct node *next; int *value; };
static struct node *list;
int main(void) {
  do {
    struct node *n = malloc(sizeof *n);
    n->value = malloc(sizeof *n->value);
    n->next = list;
    list = n;
  } while (__VERIFIER_nondet_int());
  free(list->value);
  while (list) {
    struct node *n = list->next;
    free(list);
    list = n;
  }
  return 0;
}
