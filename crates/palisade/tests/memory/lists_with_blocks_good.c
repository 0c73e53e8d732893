// check: memory
// expect: TRUE
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

struct node { struct node *next; int *value; };

int main(void) {
    struct node *list = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        node->value = malloc(sizeof *node->value);
        *node->value = 7;
        node->next = list;
        list = node;
    }
    while (list) {
        struct node *next = list->next;
        free(list->value);
        free(list);
        list = next;
    }
    return 0;
}
