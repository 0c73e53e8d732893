// run: palisade verify --int c --engine bmc --timeout 20 $FILE
// exit: 10
// stdout: s[3].b = 7
// last: RESULT: FALSE(unreach-call)
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
struct { int a, b; } s[5];
int main(void) {
  int i = __VERIFIER_nondet_int();
  if (i < 3 || i > 3) return 0;
  s[i].b = 7;
  if (s[3].b == 7) reach_error();
  return 0;
}
