// The address of a label is another one in each copy that a compiler makes of its function.
// run: palisade verify $FILE
// exit: 0
// run: palisade verify -D COPIES $FILE
// exit: 20
// stdout: comparison of addresses of labels
// run: palisade verify -D NUMBERS $FILE
// exit: 20
// run: palisade verify -D NAMED $FILE
// exit: 20
// stdout: a comparison with the address of a label
extern void reach_error(void);
static void *f(int n) {
  if (n) return &&l;
l:
  return &&l;
}
static int named(void *p, void **q) {
  int r = 0;
  *q = &&l;
  if (p) return p == &&l;
  r = 3;
l:
  return r;
}
int main(void) {
#if defined COPIES
  if (f(0) != f(1)) reach_error();
#elif defined NUMBERS
  if ((unsigned long)f(0) != (unsigned long)f(1)) reach_error();
#elif defined NAMED
  void *a, *b;
  named(0, &a);
  if (!named(a, &b)) reach_error();
#else
  static const void *const table[] = {&&one, &&two};
  int n = 0;
  if (f(0) == 0) reach_error();
  goto *table[1];
one:
  n++;
  if (n != 2) reach_error();
  return 0;
two:
  n++;
  goto *table[0];
#endif
}
