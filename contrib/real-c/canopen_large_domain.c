// expect: false
// library: canopen
// files: @all
/* The length of a read is cut to eight bits: of 256 bytes none is copied. */
#include "harness.h"
#include "canopen_node.h"

static uint8_t memory[256], copy[256];
static CO_OBJ_DOM domain = {0, sizeof memory, memory};
static CO_OBJ objects[] = {
    OBJECT(0x2000, 0, CO_OBJ_____RW, CO_TDOMAIN, &domain),
    CO_OBJ_DICT_ENDMARK,
};

int main(void) {
    memory[0] = 1;
    CODictInit(&node.Dict, &node, objects, 2);
    assert(CODictRdBuffer(&node.Dict, CO_DEV(0x2000, 0), copy, sizeof copy) == CO_ERR_NONE);
    assert(copy[0] == 1);
    return 0;
}
