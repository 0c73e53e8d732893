// expect: true
// library: ini
// options: --check assert,memory
/* The bounded copy terminates its result within the size, for sizes of 1 to 4. */
#include "harness.h"
#include "ini.c"

int main(void) {
    char from[7], to[4];
    any_string(from, 6);
    size_t size = 1 + __VERIFIER_nondet_uchar() % 4;
    ini_strncpy0(to, from, size);
    assert(strlen(to) < size);
    return 0;
}
