// To fill an object that was defined constant is undefined, as any write to it.
// run: palisade verify -D ROW $FILE
// exit: 20
// stdout: undefined behaviour: write to a constant object
// run: palisade verify -D NUMBER $FILE
// exit: 20
// stdout: undefined behaviour: write to a constant object
// run: palisade verify $FILE
// exit: 0
#include <string.h>

extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
static const int row[4] = { 1, 2, 3, 4 };
static int copy[4];

int main(void) {
  const int number = 5;
  memcpy(copy, row, sizeof row);
#ifdef ROW
  memset((void *)row, 0, sizeof row);
#elif defined NUMBER
  memset((int *)&number, 0, sizeof number);
#endif
  memset(copy, 0, sizeof copy);
  if (row[__VERIFIER_nondet_uint() % 4] == 0 || number != 5 || copy[2] != 0) reach_error();
  return 0;
}
