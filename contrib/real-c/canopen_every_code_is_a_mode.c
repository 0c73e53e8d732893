// expect: false
// library: canopen
// files: @all
// input: 6
/* Heartbeats with an unknown state are possible. */
#include "harness.h"
#include "co_core.h"

int main(void) {
    assert(CONmtModeDecode(__VERIFIER_nondet_uchar()) != CO_INVALID);
    return 0;
}
