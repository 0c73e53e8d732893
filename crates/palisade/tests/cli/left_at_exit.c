// At `exit`, blocks are held by the variables of the program that exist there: not by those of blocks that
// were left, and not by what only stood in an expression.
// run: palisade verify --check leaks $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade verify --check leaks -D OVERWRITTEN $FILE
// exit: 10
// last: RESULT: FALSE(valid-memtrack)
// run: palisade verify --check leaks -D BLOCK $FILE
// exit: 10
// last: RESULT: FALSE(valid-memtrack)
// run: palisade verify --check leaks -D ARGUMENT $FILE
// exit: 10
// last: RESULT: FALSE(valid-memtrack)
#include <stdlib.h>
static void leave(int *p) {
#ifdef ARGUMENT
  p = 0;
#endif
  exit(0);
}
int main(void) {
#if defined OVERWRITTEN
  int *p = malloc(4);
  p = 0;
  exit(0);
#elif defined BLOCK
  { int *p = malloc(4); *p = 1; }
  exit(0);
#else
  leave(malloc(4));
#endif
}
