// A weak function that the program defines is that function, wherever it is declared.
__attribute__((weak)) int twice(int x);
int __attribute__((weak)) thrice(int x) { return 3 * x; }
int twice(int x) { return 2 * x; }
static int (*choose(int n))(int) { return n == 2 ? twice : thrice; }
int main(void) {
  CHECK(twice(4) == 8);
  CHECK(thrice(4) == 12);
  CHECK(twice != 0 && choose(3) == thrice);
  CHECK(choose(2)(5) == 10);
  return __VERIFIER_nondet_end();
}
