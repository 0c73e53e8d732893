// Blocks from a pool of fixed size, with a free list made of indices: no block is given out twice.
//   palisade verify examples/embedded/pool.c        RESULT: TRUE
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

#define BLOCKS 3

static int next[BLOCKS], first, used[BLOCKS];

static int take(void) {
    if (first == BLOCKS) return -1;
    int block = first;
    first = next[block];
    return block;
}

static void give(int block) {
    next[block] = first;
    first = block;
}

int main(void) {
    for (int i = 0; i < BLOCKS; i++) next[i] = i + 1;
    for (int step = 0; step < 5; step++) {
        if (__VERIFIER_nondet_int()) {
            int block = take();
            if (block >= 0) {
                assert(!used[block]);
                used[block] = 1;
            }
        } else {
            int block = __VERIFIER_nondet_int();
            if (block >= 0 && block < BLOCKS && used[block]) {
                used[block] = 0;
                give(block);
            }
        }
    }
    return 0;
}
