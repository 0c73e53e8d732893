// expect: true
// library: canopen
// files: @all
/* Two arbitrary network management frames: the state stays a state, PDOs are allowed in one state only. */
#include "harness.h"
#include "canopen_node.h"

int main(void) {
    CO_IF_FRM frame = {0};
    CODictInit(&node.Dict, &node, dictionary, spec.DictLen);
    node.NodeId = 5;
    node.Nmt.Node = &node;
    CONmtSetMode(&node.Nmt, CO_PREOP);
    for (int i = 0; i < 2; i++) {
        frame.Data[0] = __VERIFIER_nondet_uchar();
        frame.Data[1] = __VERIFIER_nondet_uchar();
        /* Resets are another question. */
        __VERIFIER_assume(frame.Data[0] != 129 && frame.Data[0] != 130);
        CONmtCheck(&node.Nmt, &frame);
        CO_MODE mode = CONmtGetMode(&node.Nmt);
        assert(mode == CO_PREOP || mode == CO_OPERATIONAL || mode == CO_STOP);
        assert(((node.Nmt.Allowed & CO_PDO_ALLOWED) != 0) == (mode == CO_OPERATIONAL));
    }
    return 0;
}
