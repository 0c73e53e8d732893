// A ring buffer between an interrupt and the main loop: it never holds more than it has room for.
//   palisade verify --check assert,bounds examples/embedded/ring.c        RESULT: TRUE
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

#define SIZE 16

struct ring {
    int data[SIZE];
    unsigned head, count;
};

static int put(struct ring *r, int value) {
    if (r->count == SIZE) return 0;
    r->data[(r->head + r->count) % SIZE] = value;
    r->count++;
    return 1;
}

static int get(struct ring *r, int *value) {
    if (r->count == 0) return 0;
    *value = r->data[r->head];
    r->head = (r->head + 1) % SIZE;
    r->count--;
    return 1;
}

int main(void) {
    struct ring r = {.head = 0, .count = 0};
    int value;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int())
            put(&r, __VERIFIER_nondet_int());
        else
            get(&r, &value);
        assert(r.count <= SIZE && r.head < SIZE);
    }
    return 0;
}
