// expect: false
// library: canopen
// files: @all
// input: 1 3
/* Clearing one of two errors does not clear the register. */
#include "harness.h"
#include "canopen_node.h"

int main(void) {
    CODictInit(&node.Dict, &node, dictionary, spec.DictLen);
    COEmcyInit(&node.Emcy, &node, emergencies);
    uint8_t a = __VERIFIER_nondet_uchar() % 4, b = __VERIFIER_nondet_uchar() % 4;
    COEmcySet(&node.Emcy, a, 0);
    COEmcySet(&node.Emcy, b, 0);
    COEmcyClr(&node.Emcy, b);
    assert(error_register == 0);
    return 0;
}
