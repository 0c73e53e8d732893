// expect: true
// library: canopen
// files: @all
// options: --check assert,memory
/* A text object is as long as its text and is read in parts. */
#include "harness.h"
#include "canopen_node.h"

static CO_OBJ_STR name = {0, (uint8_t *)"valve"};
static CO_OBJ object = OBJECT(0x1008, 0, CO_OBJ_____R_, CO_TSTRING, &name);

int main(void) {
    uint8_t part[3];
    assert(COObjGetSize(&object, &node, 0) == 5);
    assert(COObjRdBufStart(&object, &node, part, 3) == CO_ERR_NONE);
    assert(part[0] == 'v' && part[2] == 'l' && name.Offset == 3);
    assert(COObjRdBufCont(&object, &node, part, 3) == CO_ERR_NONE);
    assert(part[0] == 'v' && part[1] == 'e' && part[2] == 'l' && name.Offset == 5);
    return 0;
}
