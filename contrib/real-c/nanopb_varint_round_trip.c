// expect: true
// library: nanopb
// files: pb_encode.c pb_decode.c pb_common.c
/* Every number of 64 bits survives. */
#include "harness.h"
#include "pb_encode.h"
#include "pb_decode.h"

int main(void) {
    pb_byte_t buffer[10];
    uint64_t value = __VERIFIER_nondet_ulong(), back = 0;
    pb_ostream_t out = pb_ostream_from_buffer(buffer, sizeof buffer);
    assert(pb_encode_varint(&out, value));
    assert(out.bytes_written <= 10);
    pb_istream_t in = pb_istream_from_buffer(buffer, out.bytes_written);
    assert(pb_decode_varint(&in, &back));
    assert(back == value);
    assert(in.bytes_left == 0);
    return 0;
}
