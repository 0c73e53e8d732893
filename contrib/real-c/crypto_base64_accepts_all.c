// expect: false
// library: crypto
// files: base64.c
// input: 33 65 65 65
/* Encoding undoes decoding only for characters of the alphabet; `!` is decoded silently. */
#include "harness.h"
#include "base64.h"

int main(void) {
    BYTE text[4], bytes[3], again[4];
    any_bytes(text, 4);
    size_t n = base64_decode(text, bytes, 4);
    if (n == 3) {
        base64_encode(bytes, again, 3, 0);
        for (int i = 0; i < 4; i++)
            assert(again[i] == text[i]);
    }
    return 0;
}
