// expect: true
// library: map
// files: src/map.c
/* A fresh map has no key. */
#include "harness.h"
#include "map.h"

int main(void) {
    map_int_t map;
    char key[4];
    any_string(key, 3);
    map_init(&map);
    assert(map_get(&map, key) == NULL);
    map_remove(&map, key);
    assert(map.base.nnodes == 0);
    map_deinit(&map);
    return 0;
}
