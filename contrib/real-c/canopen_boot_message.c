// expect: true
// library: canopen
// files: @all
/* The node boots without an error, sends one boot-up message and is pre-operational. */
#include "harness.h"
#include "canopen_node.h"

int main(void) {
    boot();
    assert(CONodeGetErr(&node) == CO_ERR_NONE);
    assert(sent_count == 1);
    assert(sent.Identifier == 0x705 && sent.DLC == 1 && sent.Data[0] == 0);
    assert(CONmtGetMode(&node.Nmt) == CO_PREOP);
    return 0;
}
