static int unknown(int *p) { return *p + 4; }
int through(void) {
  int one = 1;
  return unknown(&one);
}
