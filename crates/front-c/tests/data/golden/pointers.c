// A pointer to one of two objects; a structure copied as a whole.
// mode: math
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
struct pair { int first, second; };
int main(void) {
  struct pair p = { 1, 2 }, q;
  int x = 3;
  int *at = __VERIFIER_nondet_int() ? &x : &p.second;
  *at = 4;
  q = p;
  if (x == 4 && q.second == 4) reach_error();
  return 0;
}
