// An atomic operation on a pointer counts bytes.
int main(void) {
  int x[2];
  int *p = x;
  if (__atomic_fetch_add(&p, sizeof(int), __ATOMIC_SEQ_CST) == x && p != x + 1) reach_error();
  return 0;
}
