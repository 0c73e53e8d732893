// expect: true
// library: map
// files: src/map.c
/* Two keys keep their values. */
#include "harness.h"
#include "map.h"

int main(void) {
    map_int_t map;
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    map_init(&map);
    assert(map_set(&map, "speed", x) == 0);
    assert(map_set(&map, "limit", y) == 0);
    assert(*map_get(&map, "speed") == x);
    assert(*map_get(&map, "limit") == y);
    assert(map_get(&map, "spee") == NULL);
    map_deinit(&map);
    return 0;
}
