// `switch` with a fall-through, `goto`, `break`, `continue`, and `&&` that does not evaluate its right side.
// mode: math
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int state = 0, steps = 0;
again:
  switch (state) {
    case 0:
      steps++;
    case 1:
      state = 2;
      break;
    default:
      goto end;
  }
  for (;;) {
    if (__VERIFIER_nondet_int() > 0 && steps++ < 3) continue;
    break;
  }
  goto again;
end:
  if (steps > 5) reach_error();
  return 0;
}
