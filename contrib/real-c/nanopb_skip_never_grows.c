// expect: true
// library: nanopb
// files: pb_decode.c pb_common.c
/* Skipping a field of any type leaves at most as many bytes as before. */
#include "harness.h"
#include "pb_decode.h"

int main(void) {
    pb_byte_t buffer[6];
    any_bytes(buffer, 6);
    pb_istream_t in = pb_istream_from_buffer(buffer, sizeof buffer);
    bool ok = pb_skip_field(&in, (pb_wire_type_t)(__VERIFIER_nondet_uchar() & 7));
    assert(in.bytes_left <= sizeof buffer);
    assert(!ok || in.bytes_left < sizeof buffer);
    return 0;
}
