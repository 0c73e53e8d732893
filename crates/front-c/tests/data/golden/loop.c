// A loop with an assertion after it, in mathematical integers.
// mode: math
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);
int main(void) {
  int n = __VERIFIER_nondet_int();
  int x = 0;
  __VERIFIER_assume(n >= 0);
  while (x < n) x = x + 1;
  if (x != n) reach_error();
  return 0;
}
