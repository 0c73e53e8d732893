// expect: false
// library: map
// files: src/map.c
/* Setting a key again does not make a new node. */
#include "harness.h"
#include "map.h"

int main(void) {
    map_int_t map;
    map_init(&map);
    map_set(&map, "a", 1);
    map_set(&map, "a", 2);
    assert(map.base.nnodes == 2);
    map_deinit(&map);
    return 0;
}
