// expect: true
// library: canopen
// files: @all
/* The search finds each object of a sorted dictionary by its index and subindex. */
#include "harness.h"
#include "canopen_node.h"

int main(void) {
    CO_DICT dict;
    int16_t count = CODictInit(&dict, &node, dictionary, spec.DictLen);
    assert(count == spec.DictLen - 1);
    unsigned wanted = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(wanted < (unsigned)count);
    CO_OBJ *found = CODictFind(&dict, CO_GET_DEV(dictionary[wanted].Key));
    assert(found == &dictionary[wanted]);
    return 0;
}
