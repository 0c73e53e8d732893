// A weak function that nobody calls may be absent.
extern int absent(int *p) __attribute__((weak));
extern int other(void) __attribute__((__weak__, __nothrow__));
extern int number __attribute__((weak));
int main(void) {
  int x = 3;
  CHECK(x == 3)
  return __VERIFIER_nondet_end();
}
