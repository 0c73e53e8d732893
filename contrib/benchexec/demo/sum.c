extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int x = 0, y = 0;
  while (__VERIFIER_nondet_int()) {
    if (x == 1000) break;
    x++;
    y++;
  }
  if (x != y) reach_error();
  return 0;
}
