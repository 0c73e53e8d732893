// expect: true
// library: nanopb
// files: pb_decode.c pb_common.c
// options: --check assert,memory
/* Decoding a number from any twelve bytes takes at most ten of them. */
#include "harness.h"
#include "pb_decode.h"

int main(void) {
    pb_byte_t buffer[12];
    any_bytes(buffer, 12);
    uint32_t value;
    pb_istream_t in = pb_istream_from_buffer(buffer, sizeof buffer);
    bool ok = pb_decode_varint32(&in, &value);
    assert(in.bytes_left <= 11);
    assert(!ok || in.bytes_left >= 2);
    return 0;
}
