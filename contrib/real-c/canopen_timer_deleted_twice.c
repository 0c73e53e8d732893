// expect: false
// library: canopen
// files: @all
/* Deleting a timer for the second time is an error. */
#include "harness.h"
#include "canopen_node.h"

static void action(void *arg) { (void)arg; }

int main(void) {
    node.If.Drv = &drivers;
    COTmrInit(&node.Tmr, &node, timers, 3, 1000);
    int16_t a = COTmrCreate(&node.Tmr, 5, 0, action, 0);
    COTmrCreate(&node.Tmr, 9, 0, action, 0);
    assert(COTmrDelete(&node.Tmr, a) == 0);
    assert(COTmrDelete(&node.Tmr, a) == 0);
    return 0;
}
