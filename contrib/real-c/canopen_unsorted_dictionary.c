// expect: false
// library: canopen
// files: @all
/* In a dictionary that is not sorted, objects are missed. */
#include "harness.h"
#include "canopen_node.h"

static CO_OBJ unsorted[] = {
    OBJECT(0x2003, 0, CO_OBJ_D___R_, CO_TUNSIGNED8, 3),
    OBJECT(0x2001, 0, CO_OBJ_D___R_, CO_TUNSIGNED8, 1),
    OBJECT(0x2002, 0, CO_OBJ_D___R_, CO_TUNSIGNED8, 2),
    CO_OBJ_DICT_ENDMARK,
};

int main(void) {
    CO_DICT dict;
    CODictInit(&dict, &node, unsorted, 4);
    unsigned wanted = __VERIFIER_nondet_uchar() % 3;
    assert(CODictFind(&dict, unsorted[wanted].Key) != NULL);
    return 0;
}
