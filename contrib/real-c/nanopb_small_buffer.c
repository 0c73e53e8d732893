// expect: false
// library: nanopb
// files: pb_encode.c pb_common.c
// input: 0x10000000
/* Four bytes are not enough for every number of 32 bits. */
#include "harness.h"
#include "pb_encode.h"

int main(void) {
    pb_byte_t buffer[4];
    uint32_t value = __VERIFIER_nondet_uint();
    pb_ostream_t out = pb_ostream_from_buffer(buffer, sizeof buffer);
    assert(pb_encode_varint(&out, value));
    return 0;
}
