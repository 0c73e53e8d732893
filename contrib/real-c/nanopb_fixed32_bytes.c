// expect: true
// library: nanopb
// files: pb_encode.c pb_common.c
/* Numbers of fixed width are stored with the lowest byte first. */
#include "harness.h"
#include "pb_encode.h"

int main(void) {
    pb_byte_t buffer[4];
    uint32_t value = __VERIFIER_nondet_uint();
    pb_ostream_t out = pb_ostream_from_buffer(buffer, sizeof buffer);
    assert(pb_encode_fixed32(&out, &value));
    assert(out.bytes_written == 4);
    for (int i = 0; i < 4; i++)
        assert(buffer[i] == (uint8_t)(value >> 8 * i));
    return 0;
}
