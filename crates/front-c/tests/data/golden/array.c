// An array with a check of its bounds.
// mode: c
// checks: assert,bounds
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int a[3] = { 1, 2 };
  int i = __VERIFIER_nondet_int();
  a[i] = 7;
  if (a[2] == 9) reach_error();
  return 0;
}
