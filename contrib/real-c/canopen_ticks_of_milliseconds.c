// expect: true
// library: canopen
// files: @all
/* With a clock that is at least as fast as the unit, no time is lost. */
#include "harness.h"
#include "co_core.h"

int main(void) {
    CO_TMR tmr = {0};
    uint16_t time = __VERIFIER_nondet_ushort();
    unsigned factor = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(factor >= 1 && factor <= 20);
    tmr.Freq = 1000 * factor;
    assert(COTmrGetTicks(&tmr, time, CO_TMR_UNIT_1MS) == (uint32_t)time * factor);
    assert(COTmrGetMinTime(&tmr, CO_TMR_UNIT_1MS) == 1);
    return 0;
}
