// expect: false
// library: canopen
// files: @all
// input: 5
/* A refused bit timing changes the configured one all the same. */
#include "harness.h"
#include "co_core.h"

int main(void) {
    CO_LSS lss = {0};
    CO_IF_FRM frame = {CO_LSS_RX_ID, {19}, 8};
    lss.Mode = CO_LSS_CONF;
    lss.CfgBaudrate = 250000;
    frame.Data[2] = __VERIFIER_nondet_uchar();
    COLssCheck(&lss, &frame);
    if (frame.Data[1] != 0)
        assert(lss.CfgBaudrate == 250000);
    return 0;
}
