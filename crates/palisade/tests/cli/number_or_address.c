// An integer is an address or another number: which object a pointer made from it points to depends on where
// the objects lie, and no violation may rest on that.
// run: palisade verify --64 -D CHOICE $FILE
// exit: 20
// run: palisade verify --64 -D LATER $FILE
// exit: 20
// run: palisade verify --64 -D START $FILE
// exit: 20
// run: palisade verify --64 -D MOVED $FILE
// exit: 20
// run: palisade verify --64 -D PLAIN $FILE
// exit: 10
// last: RESULT: FALSE(assert)
#include <assert.h>
#include <stdint.h>
extern int __VERIFIER_nondet_int(void);

int x, y;
uintptr_t start = 0x100000;

int main(void) {
  int c = __VERIFIER_nondet_int();
#ifdef CHOICE
  uintptr_t u = c ? 0x100000 : (uintptr_t)&x;
#elif defined LATER
  uintptr_t u = (uintptr_t)&x;
  if (c) u = 0x100000;
#elif defined START
  if (!c) start = (uintptr_t)&x;
  uintptr_t u = start;
#elif defined MOVED
  uintptr_t u = c ? (uintptr_t)&y : (uintptr_t)&x;
  if (c) u += 64;
#elif defined PLAIN
  uintptr_t u = (uintptr_t)&x;
  c = 1;
#endif
  *(int *)u = 5;
  assert(c == 0 || x != 5);
  return 0;
}
