// expect: true
// library: utf8
/* Every code point up to U+10FFFF is read back as it was written, with the size that was announced. */
#include "harness.h"
#include "utf8.h"

int main(void) {
    char text[5] = {0};
    utf8_int32_t chr = __VERIFIER_nondet_int(), back;
    __VERIFIER_assume(chr >= 0 && chr <= 0x10FFFF);
    char *end = utf8catcodepoint(text, chr, 4);
    assert(end == text + utf8codepointsize(chr));
    assert(utf8codepoint(text, &back) == end);
    assert(back == chr);
    return 0;
}
