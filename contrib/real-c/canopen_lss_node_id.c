// expect: true
// library: canopen
// files: @all
/* Whatever the frame says, the configured node id is unset, 1 to 127, or 255. */
#include "harness.h"
#include "co_core.h"

int main(void) {
    CO_LSS lss = {0};
    CO_IF_FRM frame = {CO_LSS_RX_ID, {0}, 8};
    lss.Mode = CO_LSS_CONF;
    frame.Data[0] = 17;
    frame.Data[1] = __VERIFIER_nondet_uchar();
    assert(COLssCheck(&lss, &frame) == 1);
    assert(frame.Identifier == CO_LSS_TX_ID);
    assert(lss.CfgNodeId <= 127 || lss.CfgNodeId == 255);
    assert((frame.Data[1] == 0) == (lss.CfgNodeId != 0));
    return 0;
}
