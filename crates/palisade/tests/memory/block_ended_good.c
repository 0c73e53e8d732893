// check: memory
// expect: TRUE
int main(void) {
  int *p, x = 1;
  {
    int y = 2;
    p = &y;
    x = *p;
  }
  return x - 2;
}
