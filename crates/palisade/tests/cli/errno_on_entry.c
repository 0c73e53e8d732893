// A function that is called in any state finds any number in `errno`.
// run: palisade verify --function f $FILE
// exit: 10
// run: palisade verify --function f --set entry.globals=zero $FILE
// exit: 0
// run: palisade verify $FILE
// exit: 0
#include <errno.h>
extern void reach_error(void);
int f(int x) {
  if (errno == 5) reach_error();
  return x;
}
int main(void) { return f(1); }
