// A proof says what it rests on, and what only that keeps from being executed.
// run: palisade verify $FILE
// exit: 0
// stdout: assuming no signed overflow at $FILE:20:7
// last: RESULT: TRUE
// run: palisade verify --signed wrap -D CUT $FILE
// exit: 0
// stdout: assuming no division by zero at $FILE:17:3
// stdout: note: nothing behind $FILE:17:3 is executed, assuming no division by zero
// last: RESULT: TRUE
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
#ifdef CUT
  int zero = 0;
  x = x / zero;
  reach_error();
#endif
  if (x > 0 && x + 1 < 0)
    reach_error();
  return 0;
}
