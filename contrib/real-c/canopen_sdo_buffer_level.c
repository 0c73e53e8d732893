// expect: false
// library: canopen
// files: @all
// input: 0x03 0x13
/* Segments without a transfer are stored one behind the other: the buffer is never emptied. */
#include "harness.h"
#include "canopen_node.h"

int main(void) {
    CO_IF_FRM frame = {0};
    CODictInit(&node.Dict, &node, dictionary, spec.DictLen);
    node.SdoBuf = sdo_buffer;
    node.NodeId = 5;
    COSdoInit(node.Sdo, &node);
    for (int i = 0; i < 2; i++) {
        frame.Identifier = 0x605;
        frame.Data[0] = __VERIFIER_nondet_uchar() & 0x1f;
        COSdoResponse(COSdoCheck(node.Sdo, &frame));
        assert(node.Sdo[0].Buf.Num <= 7);
    }
    return 0;
}
