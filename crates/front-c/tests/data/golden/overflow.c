// Checks: signed overflow and division by zero are errors.
// mode: c
// checks: overflow,div-by-zero
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  int y = x + 1;
  return 100 / y;
}
