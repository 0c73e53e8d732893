// expect: false
// library: utf8
// input: 237 160 128
/* The validity check lets halves of surrogate pairs pass. */
#include "harness.h"
#include "utf8.h"

int main(void) {
    char text[4];
    any_string(text, 3);
    if (utf8valid(text) == 0 && text[0] != 0) {
        utf8_int32_t chr;
        utf8codepoint(text, &chr);
        assert(chr < 0xD800 || chr > 0xDFFF);
    }
    return 0;
}
