// expect: false
// library: canopen
// files: @all
// options: --check memory
// input: 1
/* A frame for the second receive PDO: if the first one is not synchronous, a null pointer is used. */
#include "harness.h"
#include "canopen_node.h"

int main(void) {
    CO_IF_FRM frame = {0x305, {1, 2, 3}, 3};
    COSyncInit(&node.Sync, &node);
    unsigned number = __VERIFIER_nondet_uchar() % 2;
    node.RPdo[number].Identifier = 0x305;
    COSyncAdd(&node.Sync, number, CO_SYNC_FLG_RX, 1);
    COSyncRx(&node.Sync, &frame);
    return 0;
}
