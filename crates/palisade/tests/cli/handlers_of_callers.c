// Where verification begins at a function, nobody knows what its callers have given to `atexit`.
// run: palisade verify $FILE
// exit: 10
// run: palisade verify --function leave $FILE
// exit: 20
// stdout: with another entry function than `main`
#include <stdlib.h>
extern void reach_error(void);
int bad;
void handler(void) {
  if (bad) reach_error();
}
void leave(void) {
  bad = 1;
  exit(0);
}
int main(void) {
  atexit(handler);
  leave();
  return 0;
}
