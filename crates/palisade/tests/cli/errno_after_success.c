// A successful allocation may change `errno` (C11 7.5p3), so that it does not is no proof, and that it does
// no violation.
// run: palisade verify -D CASE=1 $FILE
// exit: 20
// run: palisade verify -D CASE=2 $FILE
// exit: 0
// run: palisade verify -D CASE=3 $FILE
// exit: 10
#include <errno.h>
#include <stdlib.h>
extern void reach_error(void);
int main(void) {
  errno = 0;
  int *p = malloc(sizeof *p);
#if CASE == 1
  if (errno != 0) reach_error();
#elif CASE == 2
  errno = 0;
  if (errno != 0) reach_error();
#elif CASE == 3
  if (p) reach_error();
#endif
  return 0;
}
