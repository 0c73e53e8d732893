// expect: true
// library: crypto
// files: arcfour.c
/* The first bytes of the stream for the key "Key". */
#include "harness.h"
#include "arcfour.h"

int main(void) {
    static const BYTE expected[6] = {0xeb, 0x9f, 0x77, 0x81, 0xb7, 0x34};
    BYTE state[256], stream[6];
    arcfour_key_setup(state, (const BYTE *)"Key", 3);
    arcfour_generate_stream(state, stream, 6);
    for (int i = 0; i < 6; i++)
        assert(stream[i] == expected[i]);
    return 0;
}
