// expect: true
// library: utf8
/* A valid text has at most as many code points as bytes, and at least a quarter of them. */
#include "harness.h"
#include "utf8.h"

int main(void) {
    char text[5];
    any_string(text, 4);
    if (utf8valid(text) == 0) {
        size_t points = utf8len(text), bytes = utf8size(text) - 1;
        assert(points <= bytes);
        assert(bytes <= 4 * points);
    }
    return 0;
}
