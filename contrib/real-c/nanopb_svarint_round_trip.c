// expect: true
// library: nanopb
// files: pb_encode.c pb_decode.c pb_common.c
/* Signed numbers of 16 bits take at most three bytes and survive. */
#include "harness.h"
#include "pb_encode.h"
#include "pb_decode.h"

int main(void) {
    pb_byte_t buffer[10];
    int64_t value = __VERIFIER_nondet_short(), back = 0;
    pb_ostream_t out = pb_ostream_from_buffer(buffer, sizeof buffer);
    assert(pb_encode_svarint(&out, value));
    assert(out.bytes_written <= 3);
    pb_istream_t in = pb_istream_from_buffer(buffer, out.bytes_written);
    assert(pb_decode_svarint(&in, &back));
    assert(back == value);
    return 0;
}
