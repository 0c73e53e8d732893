// check: memory
// expect: FALSE(valid-deref)
int main(void) {
  int *p, x = 1;
  {
    int y = 2;
    p = &y;
    x = *p;
  }
  return *p - x;
}
