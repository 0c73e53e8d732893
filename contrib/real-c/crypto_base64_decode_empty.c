// expect: false
// library: crypto
// files: base64.c
// options: --check memory
/* Decoding looks at the last character before it looks at the length. */
#include "harness.h"
#include "base64.h"

int main(void) {
    static BYTE text[8] = "QUJD";
    BYTE bytes[8];
    size_t length = __VERIFIER_nondet_uchar() % 2 * 4;
    base64_decode(text, bytes, length);
    return 0;
}
