// expect: false
// library: nanopb
// files: pb_decode.c pb_common.c
// input: 5 0
/* The number of a field is not checked when the tag is read. */
#include "harness.h"
#include "pb_decode.h"

int main(void) {
    pb_byte_t buffer[2];
    any_bytes(buffer, 2);
    pb_istream_t in = pb_istream_from_buffer(buffer, sizeof buffer);
    pb_wire_type_t type;
    uint32_t tag;
    bool eof;
    if (pb_decode_tag(&in, &type, &tag, &eof))
        assert(tag > 0);
    return 0;
}
