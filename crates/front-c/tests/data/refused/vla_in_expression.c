/* The length is evaluated where the type stands. */
int main(void) {
  int n = 3;
  char b[8];
  void *q = b;
  if (sizeof(*(char (*)[n])q) == 3) reach_error();
}
