// expect: true
// library: map
// files: src/map.c
/* A removed key is gone, the other one stays. */
#include "harness.h"
#include "map.h"

int main(void) {
    map_char_t map;
    map_init(&map);
    map_set(&map, "p", 'x');
    map_set(&map, "q", 'y');
    map_remove(&map, "p");
    assert(map_get(&map, "p") == NULL);
    assert(*map_get(&map, "q") == 'y');
    assert(map.base.nnodes == 1);
    map_deinit(&map);
    return 0;
}
