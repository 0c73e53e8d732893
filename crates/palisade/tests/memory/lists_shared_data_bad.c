// check: memory,leaks
// expect: FALSE(valid-memtrack)
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

struct item {
    struct item *next;
    int *data;
};

static void prepend(struct item **list) {
    struct item *item = malloc(sizeof *item);
    item->next = *list;
    item->data = item->next ? item->next->data : malloc(sizeof(int));
    *list = item;
}

int main(void) {
    struct item *list = NULL;
    do
        prepend(&list);
    while (__VERIFIER_nondet_int());
    if (!list->next) free(list->data);
    while (list) {
        struct item *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
