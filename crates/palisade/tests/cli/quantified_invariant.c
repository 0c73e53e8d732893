// run: palisade verify --int math --timeout 5 $FILE
// exit: 0
// last: RESULT: TRUE
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);
int a[100000];
int main(void) {
  int n = __VERIFIER_nondet_int(), i, k = __VERIFIER_nondet_int();
  __VERIFIER_assume(0 <= k && k < n && n <= 100000);
  for (i = 0; i < n; i++) a[i] = 1;
  if (a[k] != 1) reach_error();
  return 0;
}
