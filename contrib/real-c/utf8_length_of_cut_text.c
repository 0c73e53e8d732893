// expect: false
// library: utf8
// options: --check memory
// input: 65 240
/* A text that ends within a code point is read past its end. */
#include "harness.h"
#include "utf8.h"

int main(void) {
    char text[3];
    any_string(text, 2);
    size_t n = utf8len(text);
    return n > 100;
}
