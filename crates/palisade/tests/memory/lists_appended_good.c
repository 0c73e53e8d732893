// check: memory
// expect: TRUE
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

struct node { struct node *next, *previous; int value; };

int main(void) {
    struct node *head = 0, *tail = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        node->next = 0;
        node->previous = tail;
        node->value = 3;
        if (tail) tail->next = node; else head = node;
        tail = node;
    }
    for (struct node *p = tail; p; p = p->previous) p->value++;
    while (head) {
        struct node *next = head->next;
        free(head);
        head = next;
    }
    return 0;
}
