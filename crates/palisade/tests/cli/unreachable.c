// What the compiler may take for unreachable is no reason to call a program proved, unless that was asked for.
// run: palisade verify -D CASE=1 $FILE
// exit: 20
// last: RESULT: UNKNOWN(undefined behaviour: `__builtin_unreachable`, $FILE:22:5)
// run: palisade verify -D CASE=1 --undefined assume $FILE
// exit: 0
// stdout: assuming that nothing undefined is reached
// run: palisade verify -D CASE=2 $FILE
// exit: 20
// run: palisade verify -D CASE=3 $FILE
// exit: 0
// run: palisade verify -D CASE=4 $FILE
// exit: 0
// run: palisade verify -D CASE=5 $FILE
// exit: 10
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned x = __VERIFIER_nondet_uint();
#if CASE == 1 // reached
  if (x == 3) {
    __builtin_unreachable();
    reach_error();
  }
#elif CASE == 2 // a count that zero does not have
  if (x < 4 && __builtin_clz(x) == 0) reach_error();
#elif CASE == 3 // nobody asks about zero
  if (x > 0 && x < 4 && __builtin_clz(x) < 30) reach_error();
#elif CASE == 4 // not reached
  if (x > 3) return 0;
  if (x > 5) __builtin_unreachable();
#elif CASE == 5 // a violation elsewhere
  if (x == 3) __builtin_unreachable();
  if (x == 4) reach_error();
#endif
  return 0;
}
