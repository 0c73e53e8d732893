// run: palisade verify $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade verify -D WRONG $FILE
// exit: 10
// stdout: implicit_int.c:26:3: assert(total == 7)
// run: palisade verify --64 --cross-check 5 $FILE
// exit: 0
// stdout: cross-check: 90 values
#include <assert.h>

static total, calls = 0;

static add(a, b)
register a;
{
  calls++;
  return a + b;
}

main() {
  register i;
  for (i = 0; i < 4; i++)
    total = add(total, i);
#ifdef WRONG
  assert(total == 7);
#endif
  assert(total == 6 && calls == 4);
  return 0;
}
