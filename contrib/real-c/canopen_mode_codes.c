// expect: true
// library: canopen
// files: @all
/* The code of every state leads back to the state. */
#include "harness.h"
#include "co_core.h"

int main(void) {
    unsigned mode = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(mode < CO_MODE_NUM);
    assert(CONmtModeDecode(CONmtModeEncode((CO_MODE)mode)) == (CO_MODE)mode);
    return 0;
}
