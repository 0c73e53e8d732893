// expect: false
// library: map
// files: src/map.c
// options: --check memory
/* The pointer to a value dies with the key. */
#include "harness.h"
#include "map.h"

int main(void) {
    map_int_t map;
    map_init(&map);
    map_set(&map, "key", 7);
    int *value = map_get(&map, "key");
    map_remove(&map, "key");
    int seven = *value;
    map_deinit(&map);
    return seven;
}
