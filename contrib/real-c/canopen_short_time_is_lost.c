// expect: false
// library: canopen
// files: @all
// input: 3 100
/* A time that is shorter than a tick becomes zero ticks. */
#include "harness.h"
#include "co_core.h"

int main(void) {
    CO_TMR tmr = {0};
    uint16_t time = __VERIFIER_nondet_ushort();
    tmr.Freq = __VERIFIER_nondet_ushort();
    __VERIFIER_assume(time > 0 && tmr.Freq > 0);
    assert(COTmrGetTicks(&tmr, time, CO_TMR_UNIT_1MS) > 0);
    return 0;
}
