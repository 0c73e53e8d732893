// expect: true
// library: nanopb
// files: pb_decode.c pb_common.c
// options: --check assert,memory
/* A name of any length leaves a terminated text in the struct. */
#include "harness.h"
#include "nanopb_message.h"
#include "pb_decode.h"

int main(void) {
    pb_byte_t buffer[6] = {0x12};
    Status got;
    any_bytes(buffer + 1, 5);
    pb_istream_t in = pb_istream_from_buffer(buffer, sizeof buffer);
    if (pb_decode(&in, &Status_msg, &got))
        assert(got.name[0] == 0 || got.name[1] == 0 || got.name[2] == 0 || got.name[3] == 0);
    return 0;
}
