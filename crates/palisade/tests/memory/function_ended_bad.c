// check: memory
// expect: FALSE(valid-deref)
int *p;
void f(void) { int x = 1; p = &x; *p = 2; }
int main(void) {
  f();
  return *p - 2;
}
