// Something unsupported on one run does not hide a violation on another; nor does it make a proof.
// run: palisade verify --timeout 20 $FILE
// exit: 10
// last: RESULT: FALSE(unreach-call)
// run: palisade verify --timeout 20 -D SAFE $FILE
// exit: 20
// last: RESULT: UNKNOWN(unsupported: floating point of type `long double`, $FILE:12:39)
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int x = __VERIFIER_nondet_int(), s = 0;
  if (x == 3) { s = (int)(long double)x; }
  for (int i = 0; i < 5; i++) s += i;
#ifdef SAFE
  if (x != 3 && s != 10) reach_error();
#else
  if (x == 7 && s == 10) reach_error();
#endif
  return s;
}
