// check: memory
// expect: UNKNOWN(unsupported: a pointer moved to another part of `s`
struct s { int a, b; };
int main(void) {
  struct s s = {1, 2};
  int *p = &s.a;
  p++;
  *p = 5;
  return s.b;
}
