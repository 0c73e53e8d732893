// expect: false
// library: ini
// options: --check memory
// input: 65 65 65 65 65 65 0
/* A size of zero wraps around, and the copy runs over. */
#include "harness.h"
#include "ini.c"

int main(void) {
    char from[7], to[4];
    any_string(from, 6);
    size_t size = __VERIFIER_nondet_uchar() % 4;
    ini_strncpy0(to, from, size);
    return 0;
}
