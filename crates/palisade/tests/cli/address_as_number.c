// Beyond its alignment the number of an address may be any: a proof that does without it is one, a
// violation that needs it is not.
// run: palisade verify -D CASE=1 $FILE
// exit: 0
// run: palisade verify -D CASE=1 --cross-check 3 $FILE
// exit: 0
// run: palisade verify -D CASE=2 $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on an address as a number)
// run: palisade verify -D CASE=3 $FILE
// exit: 10
// run: palisade verify -D CASE=4 $FILE
// exit: 0
#include <assert.h>
#include <stdint.h>
static int log[4];
static uintptr_t seen;
int main(void) {
  int x = 3, *p = &x, *none = 0;
#if CASE == 1 // the number does not matter
  seen = (uintptr_t)p;
  log[seen % 4] = 1;
  *p += 1;
  assert(x == 4);
#elif CASE == 2 // it does
  assert(((uintptr_t)p & 8) == 0);
#elif CASE == 3 // a violation before it
  assert(x == 4);
  seen = (uintptr_t)p;
#elif CASE == 4 // null is 0
  assert((uintptr_t)none == 0);
#endif
}
