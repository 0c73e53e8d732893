// expect: false
// library: canopen
// files: @all
// input: 2 0x3c
/* Write access of any width to the two objects of the application: one of them is read-only. */
#include "harness.h"
#include "canopen_node.h"

int main(void) {
    CO_IF_FRM frame = {0x605, {0x23, 0x00, 0x21, 1, 1, 2, 3, 4}, 8};
    CODictInit(&node.Dict, &node, dictionary, spec.DictLen);
    node.SdoBuf = sdo_buffer;
    node.NodeId = 5;
    COSdoInit(node.Sdo, &node);
    frame.Data[3] = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(frame.Data[3] == 1 || frame.Data[3] == 2);
    CO_SDO *server = COSdoCheck(node.Sdo, &frame);
    assert(COSdoResponse(server) == CO_ERR_NONE);
    return 0;
}
