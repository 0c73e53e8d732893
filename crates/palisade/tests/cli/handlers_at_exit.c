// What `atexit` is given is called where the program ends, the last one first.
// run: palisade verify $FILE
// exit: 0
// run: palisade verify -D WRONG $FILE
// exit: 10
// run: palisade verify -D EARLY $FILE
// exit: 0
// run: palisade verify -D EARLY -D WRONG $FILE
// exit: 10
// run: palisade verify -D AT_ONCE -D WRONG $FILE
// exit: 0
#include <assert.h>
#include <stdlib.h>
#include <unistd.h>
static int steps;
static void first(void) { steps = steps * 10 + 1; }
static void last(void) {
#ifdef WRONG
  assert(steps != 41);
#else
  assert(steps == 41);
#endif
}
static void end(int status) {
  if (status < 0) return;
#ifdef EARLY
  exit(status);
#elif defined AT_ONCE
  _exit(status);
#endif
}
int main(void) {
  assert(atexit(last) == 0);
  if (atexit(first) != 0) return 1;
  steps = 4;
  end(2);
#ifdef EARLY
  steps = 0;
#endif
  return 0;
}
