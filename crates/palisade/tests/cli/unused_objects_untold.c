// A run does not tell values of objects that nothing uses: their initialisers are dropped.
// run: palisade verify $FILE
// exit: 10
// stdout: initially used = 9
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
static int unused = 7;
static int used = 9;
int other(void) { return unused; }
int main(void) {
  int x = __VERIFIER_nondet_int();
  assert(x != used);
  return 0;
}
