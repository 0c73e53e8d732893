// expect: true
// library: utf8
/* Swapping the arguments swaps the sign. */
#include "harness.h"
#include "utf8.h"

int main(void) {
    char a[4], b[4];
    any_string(a, 3);
    any_string(b, 3);
    int ab = utf8cmp(a, b), ba = utf8cmp(b, a);
    assert((ab < 0) == (ba > 0));
    assert((ab == 0) == (ba == 0));
    return 0;
}
