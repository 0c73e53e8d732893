void __VERIFIER_nondet_memory(void *, unsigned);
int main(void) {
  int x = 1;
  __VERIFIER_nondet_memory(&x, sizeof x);
  if (x == 0 || 1) reach_error();
}
