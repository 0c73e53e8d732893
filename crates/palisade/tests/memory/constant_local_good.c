// check: memory
// expect: TRUE
int main(void) {
  int sum = 0;
  for (int i = 0; i < 3; i++) {
    const int doubled = 2 * i, both[2] = {i, doubled};
    const int *p = both;
    sum += p[1];
  }
  return sum;
}
