// check: memory,leaks
// expect: FALSE(valid-deref)
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
struct node { struct node *next; int x; };
int main(void) {
  struct node *head = 0;
  for (int i = 0; i < 3; i++) {
    struct node *n = malloc(sizeof *n);
    n->x = i;
    n->next = head;
    head = n;
  }
  while (head) {
    free(head);
    head = head->next;
  }
  return 0;
}
