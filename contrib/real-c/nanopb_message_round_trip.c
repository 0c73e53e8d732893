// expect: true
// library: nanopb
// files: pb_encode.c pb_decode.c pb_common.c
/* A message with a number and a name is read as it was written. */
#include "harness.h"
#include "nanopb_message.h"
#include "pb_encode.h"
#include "pb_decode.h"

int main(void) {
    pb_byte_t buffer[16];
    Status sent = {0, "ok"}, got;
    sent.speed = __VERIFIER_nondet_uchar();
    pb_ostream_t out = pb_ostream_from_buffer(buffer, sizeof buffer);
    assert(pb_encode(&out, &Status_msg, &sent));
    pb_istream_t in = pb_istream_from_buffer(buffer, out.bytes_written);
    assert(pb_decode(&in, &Status_msg, &got));
    assert(got.speed == sent.speed);
    assert(got.name[0] == 'o' && got.name[1] == 'k' && got.name[2] == 0);
    return 0;
}
