// In C90 decimal constants may be unsigned, and `if` and loops are no blocks.
// run: palisade verify --std gnu89 --32 -D OLD=1 $FILE
// exit: 0
// run: palisade verify --std gnu90 --64 -D OLD=1 $FILE
// exit: 0
// run: palisade verify --std gnu99 --32 -D OLD=0 $FILE
// exit: 0
// run: palisade verify --32 -D OLD=1 $FILE
// exit: 10
#include <assert.h>
int tag = sizeof(enum { outer = 5 });
int main(void) {
  int *p, i;
  if (sizeof(enum { first = 1 }) == 4) i = 0;
#if __STDC_VERSION__ >= 199901L
  enum { first = 2 };
#endif
  assert(OLD == (first == 1));
  for (i = sizeof(enum { outer = 7 }); i < 4; i++) {}
  assert(OLD == (outer == 7));
  if (sizeof(long) == 4) {
    assert(OLD == (3000000000 > -1 == 0));
    assert(OLD == (sizeof 3000000000 == 4));
    assert(sizeof 3000000000LL == 8);
  } else {
    assert(sizeof 3000000000 == 8);
#if OLD
    assert((9223372036854775808 > -1) == 0);
#endif
  }
#if OLD
  if (1) p = (int[]){3, 4}; else i = 0;
  assert(p[1] == 4);
#endif
  return 0;
}
