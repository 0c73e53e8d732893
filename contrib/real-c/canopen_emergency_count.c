// expect: true
// library: canopen
// files: @all
/* The number of active errors follows set and clear; setting twice counts once. */
#include "harness.h"
#include "canopen_node.h"

int main(void) {
    CODictInit(&node.Dict, &node, dictionary, spec.DictLen);
    COEmcyInit(&node.Emcy, &node, emergencies);
    uint8_t a = __VERIFIER_nondet_uchar() % 4, b = __VERIFIER_nondet_uchar() % 4;
    COEmcySet(&node.Emcy, a, 0);
    COEmcySet(&node.Emcy, b, 0);
    assert(COEmcyCnt(&node.Emcy) == (a == b ? 1 : 2));
    assert((error_register & 1) == 1);
    COEmcyClr(&node.Emcy, a);
    assert(COEmcyGet(&node.Emcy, a) == 0);
    assert(COEmcyCnt(&node.Emcy) == (a == b ? 0 : 1));
    return 0;
}
