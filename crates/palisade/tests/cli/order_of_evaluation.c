// Where C leaves the order open, a proof covers all orders, and no violation rests on one of them.
// run: palisade verify -D CASE=1 $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on the order of evaluation, $FILE:42:7)
// run: palisade verify -D CASE=1 -D NEGATED $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on the order of evaluation, $FILE:42:7)
// run: palisade verify -D CASE=2 $FILE
// exit: 20
// run: palisade verify -D CASE=2 -D NEGATED $FILE
// exit: 20
// run: palisade verify -D CASE=3 $FILE
// exit: 20
// last: RESULT: UNKNOWN(unsupported: a result that depends on the order of evaluation, $FILE:47:3)
// run: palisade verify -D CASE=4 $FILE
// exit: 0
// run: palisade verify -D CASE=4 -D NEGATED $FILE
// exit: 10
// run: palisade verify -D CASE=5 $FILE
// exit: 0
// run: palisade verify -D CASE=5 -D NEGATED $FILE
// exit: 20
// run: palisade verify -D CASE=6 $FILE
// exit: 0
// run: palisade verify -D CASE=6 -D NEGATED $FILE
// exit: 10
extern void reach_error(void);
#ifdef NEGATED
#define CHECK(c) if (c) reach_error()
#else
#define CHECK(c) if (!(c)) reach_error()
#endif
int g, h;
int set(void) { g = 5; return 1; }
int next(void) { return ++g; }
int twice(int x) { h = x; return 2 * x; }
int minus(int a, int b) { return a - b; }
int main(void) {
  g = 1;
  int r, i = 0;
#if CASE == 1 // a variable and a function that changes it
  r = g + set();
  CHECK(r == 2);
#elif CASE == 2 // two functions that change one variable
  CHECK(minus(next(), next()) == -1);
#elif CASE == 3 // undefined
  i = i++ + 1;
  CHECK(i == 1);
#elif CASE == 4 // nothing that the other one reads
  r = i + set() + twice(3);
  CHECK(r == 7 && g == 5 && h == 3);
#elif CASE == 5 // the results are the same in both orders
  r = next() + next();
  CHECK(r == 5);
#elif CASE == 6 // `set` changes what is read, but not to another value
  g = 5;
  r = g + set();
  CHECK(r == 6);
#endif
  return 0;
}
