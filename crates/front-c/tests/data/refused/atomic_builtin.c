// An atomic operation that is not known.
int main(void) {
  int x = 3;
  if (__atomic_fetch_nand(&x, 1, __ATOMIC_SEQ_CST) == 3 && x == -2) reach_error();
  return 0;
}
