// A function of the library that the program defines: whether a compiler calls it is the compiler's choice.
// run: palisade verify $FILE
// exit: 0
// stdout: assuming that calls of `strlen`
// stdout: are calls of the program's own, as with gcc's -fno-builtin
// last: RESULT: TRUE
// run: palisade verify -D WRONG $FILE
// exit: 10
// stdout: are calls of the program's own, as with gcc's -fno-builtin
#include <assert.h>

unsigned long strlen(const char *s) {
  unsigned long n = 0;
  while (s[n])
    n++;
#ifdef WRONG
  n++;
#endif
  return n;
}

int main(void) {
  assert(strlen("abc") == 3);
}
