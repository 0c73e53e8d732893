// Output may fail; how many characters a conversion writes is not known.
// run: palisade verify $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade verify -D WRONG=1 $FILE
// exit: 10
// run: palisade verify -D WRONG=2 $FILE
// exit: 10
// run: palisade verify -D WRONG=3 $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on what the library knows of earlier calls)
// run: palisade verify -D WRONG=4 $FILE
// exit: 10
// run: palisade verify -D WRONG=5 $FILE
// exit: 10
#include <assert.h>
#include <stdio.h>
#ifndef WRONG
#define WRONG 0
#endif
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int n = __VERIFIER_nondet_int();
  char text[8];
  assert(snprintf(text, sizeof text, "%d", 5) == 1 + (WRONG == 4));
  int r = printf("abc%%%c\n", n);
  assert(r == 6 || (r < 0 && WRONG != 1));
  r = putchar('x');
  assert(r == 'x' || (r == EOF && WRONG != 2));
  if (printf("%d\n", n) < 0) {
    assert(WRONG != 5);
    return 1;
  }
  r = printf("<%d>\n", n);
  assert(r < 0 || r >= 3);
  if (WRONG == 3) assert(r != 7);
  if (r < 0) return 1;
  if (fprintf(stderr, "%s: %5.2d\n", "name", n) < 0) return 1;
  return 0;
}
