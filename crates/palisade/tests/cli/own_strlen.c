// A function of the library that the program defines: whether a compiler calls it is the compiler's choice.
// run: palisade verify $FILE
// exit: 0
// stdout: assuming that calls of `strlen` are calls of the program's own, as with -fno-builtin, at
// last: RESULT: TRUE
#include <assert.h>

unsigned long strlen(const char *s) {
  unsigned long n = 0;
  while (s[n])
    n++;
  return n;
}

int main(void) {
  assert(strlen("abc") == 3);
}
