// check: leaks
// expect: TRUE
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
struct node { struct node *next; int x; };
int main(void) {
  struct node *head = 0;
  for (int i = 0; i < 3; i++) {
    struct node *n = malloc(sizeof *n);
    n->next = head;
    head = n;
  }
  while (head) {
    struct node *n = head->next;
    free(head);
    head = n;
  }
  return 0;
}
