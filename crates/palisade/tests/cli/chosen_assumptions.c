// A verdict says what it rests on because of options, also of those that nobody gave.
// run: palisade verify $FILE
// exit: 0
// stdout: assuming that memory can be allocated at $FILE:18:7
// last: RESULT: TRUE
// run: palisade verify --malloc may-fail $FILE
// exit: 20
// run: palisade verify --int math $FILE
// exit: 0
// stdout: assuming that integers have no bounds: nothing overflows or wraps around
// last: RESULT: TRUE
// run: palisade verify --signed wrap -D WRONG $FILE
// exit: 10
// stdout: assuming that signed arithmetic wraps around, as with gcc's -fwrapv
#include <stdlib.h>
extern void reach_error(void);
int main(void) {
  int *p = malloc(sizeof *p);
  *p = 1;
#ifdef WRONG
  *p = 2;
#endif
  if (*p != 1)
    reach_error();
  free(p);
  return 0;
}
