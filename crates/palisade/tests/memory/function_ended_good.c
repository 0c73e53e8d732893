// check: memory
// expect: TRUE
int g;
int *f(void) { g = 1; return &g; }
int main(void) {
  int *p = f();
  return *p - 1;
}
