// expect: false
// library: canopen
// files: @all
// input: 2 0
/* A command to node 0 is for everybody. */
#include "harness.h"
#include "canopen_node.h"

int main(void) {
    CO_IF_FRM frame = {0};
    node.NodeId = 5;
    node.Nmt.Node = &node;
    node.Nmt.Mode = CO_PREOP;
    frame.Data[0] = __VERIFIER_nondet_uchar();
    frame.Data[1] = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(frame.Data[0] == 2 || frame.Data[0] == 128);
    __VERIFIER_assume(frame.Data[1] != 5);
    CONmtCheck(&node.Nmt, &frame);
    assert(node.Nmt.Mode == CO_PREOP);
    return 0;
}
