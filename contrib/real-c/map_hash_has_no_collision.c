// expect: false
// library: map
// input: 33 33 34 66
/* Different keys of two characters can have one hash. */
#include "harness.h"
#include "map.c"

int main(void) {
    char a[3], b[3];
    any_string(a, 2);
    any_string(b, 2);
    for (int i = 0; i < 2; i++)
        __VERIFIER_assume(a[i] > 32 && b[i] > 32);
    if (map_hash(a) == map_hash(b))
        assert(a[0] == b[0] && a[1] == b[1]);
    return 0;
}
