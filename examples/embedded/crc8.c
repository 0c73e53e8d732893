// A checksum as sensors send it: a message with its checksum behind it has checksum 0, whatever its bytes are.
//   palisade verify examples/embedded/crc8.c        RESULT: TRUE
#include <assert.h>
#include <stdint.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

static uint8_t crc8(const uint8_t *data, int length) {
    uint8_t crc = 0xff;
    for (int i = 0; i < length; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 0x80 ? (uint8_t)(crc << 1 ^ 0x31) : (uint8_t)(crc << 1);
    }
    return crc;
}

int main(void) {
    uint8_t message[3] = {__VERIFIER_nondet_uchar(), __VERIFIER_nondet_uchar()};
    message[2] = crc8(message, 2);
    assert(crc8(message, 3) == 0);
    return 0;
}
