// check: memory
// expect: TRUE
int main(void) {
  int a[5], s = 0;
  for (int *p = a; p < a + 5; p++) *p = 1;
  for (int *p = a + 5; p != a;) s += *--p;
  return s - 5;
}
