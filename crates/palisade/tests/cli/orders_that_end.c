// One operand ends the program, and the other goes wrong: C leaves open which comes first.
// run: palisade verify --check memory $FILE
// exit: 20
// stdout: depends on the order of evaluation
// run: palisade verify --check memory -D TWICE $FILE
// exit: 20
// stdout: depends on the order of evaluation
// run: palisade verify --check memory -D ENDLESS $FILE
// exit: 20
// stdout: depends on the order of evaluation
// run: palisade verify --check memory -D SET $FILE
// exit: 20
// stdout: depends on the order of evaluation
#include <stdlib.h>
static int *q, x;
static int add(int a, int b) { return a + b; }
static int stop(void) {
#ifdef ENDLESS
  for (;;) {}
#else
  exit(0);
#endif
}
static int set(void) { q = &x; return 1; }
int main(void) {
#if defined TWICE
  q = malloc(4);
  free(q);
  return add(stop(), (free(q), 1));
#elif defined SET
  return add(*q, set());
#else
  return add(stop(), *q);
#endif
}
