// expect: true
// library: crypto
// files: base64.c
/* Without an output buffer the encoder says how many characters it would write. */
#include "harness.h"
#include "base64.h"

int main(void) {
    BYTE in[7] = {0}, text[12];
    size_t length = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(length <= 7);
    size_t said = base64_encode(in, NULL, length, 0);
    size_t written = base64_encode(in, text, length, 0);
    assert(said == written);
    assert(written <= sizeof text);
    return 0;
}
