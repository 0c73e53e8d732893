// A decimal constant that no type of the standard holds is an `__int128` for gcc. `toupper` knows characters
// with the sign bit as glibc does.
// run: palisade verify --64 $FILE
// exit: 0
// run: palisade verify --64 -D WRONG $FILE
// exit: 10
// run: palisade verify --64 -D LARGE $FILE
// exit: 10
// run: palisade verify --64 --int c -D LARGE $FILE
// exit: 20
// stdout: an integer constant that only `__int128` holds
// run: palisade verify --32 -D LARGE $FILE
// exit: 0
#include <ctype.h>
extern void reach_error(void);
extern char __VERIFIER_nondet_char(void);

int main(void) {
  char c = __VERIFIER_nondet_char();
  if (c < -1 && toupper(c) != c + 256) reach_error();
#ifdef LARGE
  if (9223372036854775808 >= 0) reach_error();
#endif
#ifdef WRONG
  if (tolower(c) == 156) reach_error();
#endif
  return 0;
}
