// A construct that is not supported becomes an edge into the error location that says so.
// mode: c
extern int __VERIFIER_nondet_int(void);
double half(double);
int main(void) {
  if (__VERIFIER_nondet_int() == 5) {
    double d = 1.5;
    return half(d) > 0.5;
  }
  return 0;
}
