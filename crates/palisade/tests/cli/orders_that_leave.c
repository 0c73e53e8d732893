// What ends the program, jumps, or does not end, beside what is seen afterwards: a loop, a block that is
// allocated, two effects between which it may happen.
// run: palisade verify -D LOOP --check termination $FILE
// exit: 20
// stdout: depends on the order of evaluation
// run: palisade verify -D ELEMENT --check termination $FILE
// exit: 20
// stdout: depends on the order of evaluation
// run: palisade verify -D BLOCK --check leaks $FILE
// exit: 10
// run: palisade verify -D DIRECT --check valid-memcleanup $FILE
// exit: 10
// run: palisade verify -D BETWEEN --check valid-memcleanup $FILE
// exit: 20
// stdout: a result that depends on the order of evaluation
// run: palisade verify -D AROUND --check termination $FILE
// exit: 20
// stdout: recursion of `even` deeper
// run: palisade verify -D KEPT --check valid-memcleanup $FILE
// exit: 20
// stdout: depends on the order of evaluation
// run: palisade verify -D LOST --check leaks $FILE
// exit: 20
// stdout: depends on the order of evaluation
// run: palisade verify -D SUM --check overflow $FILE
// exit: 20
// stdout: depends on the order of evaluation
// run: palisade verify -D CONSTANT --check overflow $FILE
// exit: 20
// stdout: depends on the order of evaluation
// run: palisade verify -D AGAIN $FILE
// exit: 20
// stdout: the order of evaluation
// run: palisade verify -D JUMP $FILE
// exit: 20
// stdout: a result that depends on the order of evaluation
// run: palisade verify -D INCREMENTS $FILE
// exit: 20
// stdout: a result that depends on the order of evaluation
// run: palisade verify -D ONE $FILE
// exit: 0
// run: palisade verify -D ONE -D WRONG $FILE
// exit: 20
// stdout: depends on the order of evaluation
#include <setjmp.h>
#include <stdlib.h>
extern void reach_error(void);
static int *p, x, y;
static jmp_buf at;
static int take(int a, int b) { return a + b; }
static int none(int a, void *b) { return a + !b; }
static int end(void) { exit(0); return 1; }
static int loop(void) { for (;;); return 1; }
static int block(void) { int *q = malloc(4); return !q; }
static int get(void) { p = malloc(4); return 1; }
static int put(void) { free(p); p = 0; return 1; }
static int left(void) { x = 1; return 1; }
static int right(void) { y = 1; return 1; }
static int jump(void) { longjmp(at, 1); }
static int odd(int n);
static int even(int n) { return n < 0 ? 0 : odd(1); }
static int odd(int n) { return n < 0 ? 0 : even(0); }
static int drop(void) { p = 0; return 1; }
static int most(void) { return __INT_MAX__; }
static int *kept;
static int keep(int *q, int n) { kept = q; return n; }
static int look(void) { return kept ? *kept : 0; }
int main(void) {
#ifdef LOOP
  return take(end(), loop());
#elif defined ELEMENT
  int a[2];
  a[end()] = loop();
#elif defined BLOCK
  return take(end(), block());
#elif defined DIRECT
  return none(end(), malloc(4));
#elif defined AROUND
  return take(end(), even(0));
#elif defined KEPT
  p = malloc(4);
  take(loop(), end());
  free(p);
#elif defined LOST
  return take(drop(), get());
#elif defined SUM
  return (most() + 1) * end();
#elif defined CONSTANT
  return take(__INT_MAX__ + 1, end());
#elif defined AGAIN
  // The same literal in both rounds.
  int k = 0, seen;
again:
  seen = keep(&(int){k + 3}, look());
  k++;
  if (k < 2) goto again;
  if (seen == 3) reach_error();
#elif defined BETWEEN
  return (get() && put()) + end();
#else
  if (setjmp(at) == 0) {
#ifdef JUMP
    return (left() + right()) * jump();
#elif defined INCREMENTS
    return (x++ - y++) + jump();
#else
    return left() + jump();
#endif
  }
#ifdef WRONG
  if (x) reach_error();
#else
  if (x && y) reach_error();
#endif
#endif
}
