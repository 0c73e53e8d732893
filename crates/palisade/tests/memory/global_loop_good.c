// check: memory
// expect: TRUE
int a[10];
int main(void) {
  for (int i = 0; i < 10; i++) a[i] = i;
  return 0;
}
