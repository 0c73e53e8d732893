// A compound literal that is changed between `setjmp` and `longjmp` has any value, like a local variable.
// run: palisade verify $FILE
// exit: 10
// run: palisade verify -D BEFORE $FILE
// exit: 0
#include <setjmp.h>
extern void reach_error(void);
static jmp_buf back;
int main(void) {
  int *p = &(int){1};
#ifdef BEFORE
  *p = 2;
#endif
  if (!setjmp(back)) {
#ifndef BEFORE
    *p = 2;
#endif
    longjmp(back, 1);
  }
  if (*p != 2) reach_error();
}
