// Calls are inlined; a parameter is a copy, a result is assigned at the return.
// mode: math
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int counter;
int twice(int n) {
  n = n + n;
  counter++;
  return n;
}
int main(void) {
  int a = __VERIFIER_nondet_int();
  int b = twice(a);
  int c = twice(b);
  if (counter != 2 || c != 4 * a) reach_error();
  return 0;
}
