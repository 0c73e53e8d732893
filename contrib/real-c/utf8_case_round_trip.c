// expect: false
// library: utf8
// input: 0x3f4
/* The lower case of an upper case letter does not always lead back. */
#include "harness.h"
#include "utf8.h"

int main(void) {
    utf8_int32_t chr = __VERIFIER_nondet_ushort();
    __VERIFIER_assume(chr >= 0x300 && chr < 0x400 && utf8isupper(chr));
    assert(utf8uprcodepoint(utf8lwrcodepoint(chr)) == chr);
    return 0;
}
