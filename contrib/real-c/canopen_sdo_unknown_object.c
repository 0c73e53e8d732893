// expect: true
// library: canopen
// files: @all
/* A request for an index that is not in the dictionary is aborted with the right code. */
#include "harness.h"
#include "canopen_node.h"

int main(void) {
    CO_IF_FRM frame = {0x605, {0x40, 0x00, 0x30, 0}, 8};
    CODictInit(&node.Dict, &node, dictionary, spec.DictLen);
    node.SdoBuf = sdo_buffer;
    node.NodeId = 5;
    COSdoInit(node.Sdo, &node);
    frame.Data[3] = __VERIFIER_nondet_uchar();
    CO_SDO *server = COSdoCheck(node.Sdo, &frame);
    assert(server == &node.Sdo[0]);
    assert(COSdoResponse(server) == CO_ERR_SDO_ABORT);
    assert(frame.Identifier == 0x585 && frame.Data[0] == 0x80);
    assert(CO_GET_LONG(&frame, 4) == CO_SDO_ERR_OBJ);
    return 0;
}
