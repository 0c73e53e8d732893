// expect: true
// library: canopen
// files: @all
/* What is found has the key that was asked for; the manufacturer's area has two objects only. */
#include "harness.h"
#include "canopen_node.h"

int main(void) {
    CO_DICT dict;
    CODictInit(&dict, &node, dictionary, spec.DictLen);
    uint8_t sub = __VERIFIER_nondet_uchar();
    CO_OBJ *found = CODictFind(&dict, CO_DEV(0x2100, sub));
    assert((found != NULL) == (sub == 1 || sub == 2));
    return 0;
}
