// Assumed not to happen: accesses to variables that have ended and to memory that is freed.
// run: palisade verify -D CASE=1 --undefined assume $FILE
// exit: 0
// stdout: assuming no undefined access to memory at $FILE:29:3
// run: palisade verify -D CASE=1 --undefined arbitrary $FILE
// exit: 10
// run: palisade verify -D CASE=2 --undefined assume $FILE
// exit: 0
// stdout: assuming no undefined access to memory at $FILE:32:3
// run: palisade verify -D CASE=3 --undefined assume $FILE
// exit: 0
// stdout: assuming no undefined access to memory at $FILE:37:3
// run: palisade verify -D CASE=4 --undefined assume $FILE
// exit: 10
#include <stdlib.h>
extern void reach_error(void);
int *ended(void) {
  int y = 1;
  int *q = &y;
  return q;
}
int main(void) {
  int *p;
#if CASE == 1 // a block
  {
    int y = 1;
    p = &y;
  }
  *p = 2;
#elif CASE == 2 // a function
  p = ended();
  *p = 3;
#elif CASE == 3 // freed
  p = malloc(4);
  if (!p) return 0;
  free(p);
  *p = 2;
#elif CASE == 4 // not used any more
  p = malloc(4);
  free(p);
#endif
  reach_error();
  return 0;
}
