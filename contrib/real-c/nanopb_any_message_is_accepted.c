// expect: false
// library: nanopb
// files: pb_decode.c pb_common.c
// input: 8 255
/* Two bytes are not always a message. */
#include "harness.h"
#include "nanopb_message.h"
#include "pb_decode.h"

int main(void) {
    pb_byte_t buffer[2];
    Status got;
    any_bytes(buffer, 2);
    pb_istream_t in = pb_istream_from_buffer(buffer, 2);
    assert(pb_decode(&in, &Status_msg, &got));
    return 0;
}
