// expect: true
// library: canopen
// files: @all
/* Reading a word as a byte or a long is an error and leaves the destination alone. */
#include "harness.h"
#include "canopen_node.h"

int main(void) {
    uint8_t byte = 9;
    uint32_t value = 9;
    actual = __VERIFIER_nondet_ushort();
    CODictInit(&node.Dict, &node, dictionary, spec.DictLen);
    assert(CODictRdByte(&node.Dict, CO_DEV(0x2100, 2), &byte) == CO_ERR_OBJ_SIZE);
    assert(CODictRdLong(&node.Dict, CO_DEV(0x2100, 2), &value) == CO_ERR_OBJ_SIZE);
    assert(byte == 9 && value == 9);
    return 0;
}
