// check: memory
// expect: FALSE(valid-deref)
int main(void) {
  int a[5], s = 0;
  for (int *p = a; p < a + 5; p++) *p = 1;
  for (int *p = a + 5; p != a; p--) s += *p;
  return s - 5;
}
