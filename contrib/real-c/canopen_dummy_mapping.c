// expect: false
// library: canopen
// files: @all
// options: --check bounds
/* Three dummy entries of 32 bits, mapped with 8 bits each: the map of the PDO overflows. */
#define EXTRA_OBJECTS \
    OBJECT(0x1600, 0, CO_OBJ_D___R_, CO_TUNSIGNED8, 3), \
    OBJECT(0x1600, 1, CO_OBJ_D___R_, CO_TUNSIGNED32, CO_LINK(4, 0, 8)), \
    OBJECT(0x1600, 2, CO_OBJ_D___R_, CO_TUNSIGNED32, CO_LINK(4, 0, 8)), \
    OBJECT(0x1600, 3, CO_OBJ_D___R_, CO_TUNSIGNED32, CO_LINK(4, 0, 8)),
#define CO_LINK(index, sub, bits) ((uint32_t)(index) << 16 | (sub) << 8 | (bits))
#include "harness.h"
#include "canopen_node.h"

int main(void) {
    CODictInit(&node.Dict, &node, dictionary, spec.DictLen);
    CORPdoClear(node.RPdo, &node);
    CORPdoGetMap(node.RPdo, 0);
    return 0;
}
