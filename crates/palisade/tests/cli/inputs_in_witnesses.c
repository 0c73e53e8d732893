// Several inputs in one expression: the waypoints of the witness are no effects of the program.
// run: palisade verify --witness $TMP/run.yml $FILE
// exit: 10
// run: palisade validate $TMP/run.yml $FILE
// exit: 10
// last: RESULT: FALSE(unreach-call)
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static int difference(int a, int b) { return a % 100 - b % 100; }
int main(void) {
  int s = __VERIFIER_nondet_int() % 10 + __VERIFIER_nondet_int() % 10;
  int d = difference(__VERIFIER_nondet_int(), __VERIFIER_nondet_int());
  if (s == 5 && d == 7) reach_error();
  return 0;
}
