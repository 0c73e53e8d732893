// run: palisade verify --timeout 20 $FILE
// exit: 0
// last: RESULT: TRUE
#include <setjmp.h>
extern void reach_error(void);
static jmp_buf back;
int main(void) {
  if (setjmp(back) == 0) longjmp(back, 2);
  else return 0;
  reach_error();
  return 0;
}
