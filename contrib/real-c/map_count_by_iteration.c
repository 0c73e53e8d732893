// expect: false
// library: map
// files: src/map.c
/* The iterator meets three nodes, not two. */
#include "harness.h"
#include "map.h"

int main(void) {
    map_int_t map;
    map_init(&map);
    map_set(&map, "a", 1);
    map_set(&map, "b", 2);
    map_set(&map, "c", 3);
    int met = 0;
    map_iter_t iter = map_iter(&map);
    while (map_next(&map, &iter))
        met++;
    assert(met == 2);
    map_deinit(&map);
    return 0;
}
