// check: memory,leaks
// expect: FALSE(valid-memtrack)
#include <assert.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

struct item {
    struct item *next;
    int *data;
};

int main(void) {
    struct item *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct item *item = malloc(sizeof *item);
        item->data = malloc(sizeof *item->data);
        *item->data = 7;
        item->next = list;
        list = item;
    }
    while (list) {
        struct item *next = list->next;
        assert(*list->data == 7);
        if (next) free(list->data);
        free(list);
        list = next;
    }
    return 0;
}
