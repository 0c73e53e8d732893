// A variable that the program does not mention, but functions without body know, may lead to others through a
// constant one that only its value mentions.
// run: palisade verify $FILE
// exit: 20
// stdout: what a function without body may have changed
// run: palisade verify -D LINK=static $FILE
// exit: 0
// last: RESULT: TRUE
extern void reach_error(void);
static int g;
static int *const p = &g;
#ifndef LINK
#define LINK
#endif
LINK int *const *q = &p;
void outside(void);

int main(void) {
  g = 1;
  outside();
  if (g != 1) reach_error();
  return 0;
}
