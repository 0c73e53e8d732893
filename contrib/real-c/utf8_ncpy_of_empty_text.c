// expect: false
// library: utf8
// options: --check memory
// input: 0
/* Copying the empty text looks at the byte before the destination. */
#include "harness.h"
#include "utf8.h"

int main(void) {
    char from[3], to[8];
    any_string(from, 2);
    utf8ncpy(to, from, sizeof to);
    return 0;
}
