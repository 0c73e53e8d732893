// expect: true
// library: canopen
// files: @all
/* A timer without a cycle fires after its ticks, and once only. */
#include "harness.h"
#include "canopen_node.h"

static int fired;
static void action(void *arg) { fired += *(int *)arg; }

int main(void) {
    int step = 1;
    node.If.Drv = &drivers;
    COTmrInit(&node.Tmr, &node, timers, 3, 1000);
    uint32_t ticks = 1 + __VERIFIER_nondet_uchar() % 3;
    COTmrCreate(&node.Tmr, ticks, 0, action, &step);
    for (uint32_t i = 1; i <= 5; i++) {
        COTmrService(&node.Tmr);
        COTmrProcess(&node.Tmr);
        assert(fired == (i >= ticks));
    }
    return 0;
}
