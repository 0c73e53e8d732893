// run: palisade verify --timeout 5 --32 $FILE
// exit: 20
// run: palisade verify --timeout 20 --64 -D ONCE $FILE
// exit: 0
// run: palisade verify --timeout 20 --64 -D ONCE -D WRONG $FILE
// exit: 10
#include <assert.h>
#include <setjmp.h>

// No proof rests on how often `setjmp` is called: in `int`, its number is not known from 2^31 calls on.
static jmp_buf back;

static void leave(void) { longjmp(back, 3); }

int main(void) {
#ifdef ONCE
  volatile int before = 1;
  int result = setjmp(back);
  if (result == 0) {
    before = 2;
    leave();
  }
#ifdef WRONG
  assert(before == 1);
#else
  assert(result == 3 && before == 2);
#endif
#else
  for (unsigned i = 0;; i++) {
    if (setjmp(back) == 0)
      leave();
    assert(i != 0x90000000u);
  }
#endif
  return 0;
}
