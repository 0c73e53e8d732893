// expect: true
// library: canopen
// files: @all
/* A pool of three timers: three different numbers, then an error, and a deleted one can be had again. */
#include "harness.h"
#include "canopen_node.h"

static void action(void *arg) { (void)arg; }

int main(void) {
    node.If.Drv = &drivers;
    COTmrInit(&node.Tmr, &node, timers, 3, 1000);
    uint32_t ticks = 1 + __VERIFIER_nondet_uchar();
    int16_t a = COTmrCreate(&node.Tmr, 10, 0, action, 0);
    int16_t b = COTmrCreate(&node.Tmr, ticks, 0, action, 0);
    int16_t c = COTmrCreate(&node.Tmr, 20, 0, action, 0);
    assert(a >= 0 && b >= 0 && c >= 0 && a != b && b != c && a != c);
    assert(COTmrCreate(&node.Tmr, 30, 0, action, 0) == -1);
    assert(node.Error == CO_ERR_TMR_NO_ACT);
    assert(COTmrDelete(&node.Tmr, b) == 0);
    assert(COTmrCreate(&node.Tmr, 30, 0, action, 0) == b);
    return 0;
}
