// A function of one file with internal linkage is not the one that another file means by the name.
// run: palisade verify --undefined arbitrary $FILE $DIR/inc/own_functions.i
// exit: 0
// run: palisade verify --undefined arbitrary -D WRONG=1 $FILE $DIR/inc/own_functions.i
// exit: 10
// run: palisade verify --undefined arbitrary -D WRONG=2 $FILE $DIR/inc/own_functions.i
// exit: 20
extern void reach_error(void);
extern int unknown(int *p);
int through(void);
#ifndef WRONG
#define WRONG 0
#endif
int main(void) {
  int x = 1, got = unknown(&x);
  if (through() != 5) reach_error();
  if (WRONG == 1 && got == 6) reach_error();
  if (WRONG == 2 && x != 1) reach_error();
  return 0;
}
