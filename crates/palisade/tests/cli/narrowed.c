// A value that always fits the narrow type is shown to fit, without a lemma for each remainder.
// run: palisade verify --engine ic3-cfa --timeout 20 $FILE
// exit: 0
// run: palisade verify --timeout 20 -D BAD $FILE
// exit: 10
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
#ifdef BAD
#define MOST 4094
#else
#define MOST 4095
#endif
int main(void) {
  int acc = 0;
  while (1) {
    int x = __VERIFIER_nondet_int();
    if (x < 0 || x > 4095) continue;
    acc += x - acc / 16;
    short y = (short)(acc / 16);
    assert(y <= MOST);
  }
}
