// expect: true
// library: canopen
// files: @all
/* The server answers a read of a long with its four bytes. */
#include "harness.h"
#include "canopen_node.h"

int main(void) {
    static const uint8_t request[8] = {0x40, 0x00, 0x21, 0x01};
    boot();
    target = __VERIFIER_nondet_uint();
    receive(0x605, request);
    assert(sent_count == 2 && sent.Identifier == 0x585);
    assert(sent.Data[0] == 0x43);
    assert(CO_GET_LONG(&sent, 4) == target);
    return 0;
}
