// check: memory
// expect: FALSE(valid-deref)
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

struct node { struct node *next; int value; struct node *other; };

int main(void) {
    struct node *list = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        node->next = list && __VERIFIER_nondet_int() ? list->next : list;
        node->other = list;
        node->value = 1;
        list = node;
    }
    while (list) {
        struct node *next = list->next;
        free(list->other);
        free(list);
        list = next;
    }
    return 0;
}
