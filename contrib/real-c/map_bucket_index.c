// expect: true
// library: map
/* With a power of two as the number of buckets, the index is within the table. */
#include "harness.h"
#include "map.c"

int main(void) {
    map_base_t map = {0};
    char key[4];
    any_string(key, 3);
    map.nbuckets = 1u << (__VERIFIER_nondet_uchar() & 7);
    int index = map_bucketidx(&map, map_hash(key));
    assert(index >= 0 && (unsigned)index < map.nbuckets);
    return 0;
}
