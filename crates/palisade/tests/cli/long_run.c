// A violation behind loops of many rounds is found by running the program, and its run is told at both ends.
// run: palisade verify --timeout 60 $FILE
// exit: 10
// stdout: steps, 6501 of them with values from outside
// stdout: where i = 6999
// stdout: RESULT: FALSE(assert)
// run: palisade verify --timeout 60 -D CLOSED $FILE
// exit: 10
// stdout: steps, 0 of them with values from outside
#include <assert.h>
#ifdef CLOSED
static int next(void) { return 3; }
#else
extern int __VERIFIER_nondet_int(void);
static int next(void) { return __VERIFIER_nondet_int(); }
#endif
int a[7000];
int main(void) {
  for (int i = 0; i < 7000; i++) a[i] = next();
  for (int i = 0; i < 7000; i++) assert(i < 6999 || a[i] == 77);
  return 0;
}
