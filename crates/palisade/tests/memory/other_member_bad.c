// check: memory
// expect: FALSE(valid-deref)
struct s { int a, b; };
int main(void) {
  struct s s = {1, 2};
  int *p = &s.a;
  p += 2;
  *p = 5;
  return s.b;
}
