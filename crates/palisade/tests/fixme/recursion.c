// why: calls are inlined, and the depth of the recursion depends on the input.
// run: palisade verify --int math --timeout 20 $FILE
// exit: 0
// last: RESULT: TRUE
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int sum(int n) { return n <= 0 ? 0 : n + sum(n - 1); }
int main(void) {
  if (sum(__VERIFIER_nondet_int()) < 0) reach_error();
  return 0;
}
