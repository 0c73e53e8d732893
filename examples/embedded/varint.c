// Numbers of variable length, as in protocol buffers: what is decoded is what was encoded, and it fits.
//   palisade verify examples/embedded/varint.c        RESULT: TRUE
#include <assert.h>
#include <stdint.h>

extern unsigned __VERIFIER_nondet_uint(void);

static int encode(uint32_t value, uint8_t *out) {
    int n = 0;
    while (value >= 0x80) {
        out[n++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    out[n++] = (uint8_t)value;
    return n;
}

static int decode(const uint8_t *in, uint32_t *value) {
    uint32_t result = 0;
    for (int n = 0; n < 5; n++) {
        result |= (uint32_t)(in[n] & 0x7f) << (7 * n);
        if (!(in[n] & 0x80)) {
            *value = result;
            return n + 1;
        }
    }
    return -1;
}

int main(void) {
    uint8_t buffer[5];
    uint32_t sent = __VERIFIER_nondet_uint(), received;
    int length = encode(sent, buffer);
    assert(length <= 5);
    assert(decode(buffer, &received) == length && received == sent);
    return 0;
}
