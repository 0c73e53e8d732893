// expect: true
// library: crypto
// files: base64.c
/* Five bytes survive encoding and decoding, whatever they are. */
#include "harness.h"
#include "base64.h"

int main(void) {
    BYTE in[5], text[8], back[6];
    any_bytes(in, 5);
    size_t coded = base64_encode(in, text, 5, 0);
    assert(coded == 8);
    size_t decoded = base64_decode(text, back, coded);
    assert(decoded == 5);
    for (int i = 0; i < 5; i++)
        assert(back[i] == in[i]);
    return 0;
}
