// A packet is written byte by byte and read back as a struct: the fields are where both sides expect them.
//   palisade verify examples/embedded/packet.c        RESULT: TRUE
#include <assert.h>
#include <stdint.h>
#include <string.h>

extern unsigned __VERIFIER_nondet_uint(void);
extern unsigned short __VERIFIER_nondet_ushort(void);

struct __attribute__((packed)) packet {
    uint8_t kind;
    uint32_t sequence;
    uint16_t length;
};

static void put16(uint8_t *p, uint16_t v) {
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
}

static void put32(uint8_t *p, uint32_t v) {
    put16(p, (uint16_t)v);
    put16(p + 2, (uint16_t)(v >> 16));
}

int main(void) {
    uint8_t wire[7];
    uint32_t sequence = __VERIFIER_nondet_uint();
    uint16_t length = __VERIFIER_nondet_ushort();
    wire[0] = 3;
    put32(wire + 1, sequence);
    put16(wire + 5, length);
    struct packet received;
    memcpy(&received, wire, sizeof received);
    assert(received.kind == 3 && received.sequence == sequence && received.length == length);
    return 0;
}
