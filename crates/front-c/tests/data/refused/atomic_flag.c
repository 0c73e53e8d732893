// Only the first byte is cleared.
int main(void) {
  int x = 257;
  __atomic_clear(&x, 5);
  if (x == 256) reach_error();
  return 0;
}
