// expect: true
// library: canopen
// files: @all
/* A value that is stored relative to the node id is read as it was written. */
#include "harness.h"
#include "canopen_node.h"

static uint32_t stored;
static CO_OBJ objects[] = {
    OBJECT(0x2000, 0, CO_OBJ__N__RW, CO_TUNSIGNED32, &stored),
    CO_OBJ_DICT_ENDMARK,
};

int main(void) {
    uint32_t value = __VERIFIER_nondet_uint(), back = 0;
    node.NodeId = __VERIFIER_nondet_uchar();
    CODictInit(&node.Dict, &node, objects, 2);
    assert(CODictWrLong(&node.Dict, CO_DEV(0x2000, 0), value) == CO_ERR_NONE);
    assert(stored == value - node.NodeId);
    assert(CODictRdLong(&node.Dict, CO_DEV(0x2000, 0), &back) == CO_ERR_NONE);
    assert(back == value);
    return 0;
}
