// What goes wrong inside a library function is told where the program calls it.
// run: palisade verify -D CASE=1 $FILE
// exit: 20
// last: RESULT: UNKNOWN(undefined behaviour: access outside an object, $FILE:17:3)
// run: palisade verify -D CASE=2 $FILE
// exit: 20
// last: RESULT: UNKNOWN(unsupported: this conversion of a format, $FILE:21:3)
#include <assert.h>
#include <stdio.h>
#include <string.h>
extern char __VERIFIER_nondet_char(void);
int main(void) {
  char text[8];
#if CASE == 1
  unsigned n;
  for (int i = 0; i < 8; i++) text[i] = __VERIFIER_nondet_char();
  n = strlen(text);
  assert(n < 8);
#else
  int n = 1;
  snprintf(text, sizeof text, "%.1f", n * 1.5);
  assert(!strcmp(text, "1.5"));
#endif
}
