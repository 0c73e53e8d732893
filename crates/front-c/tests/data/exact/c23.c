// std=gnu2x
[[nodiscard]] [[gnu::const]] static int f(int x, char *) { return x; }
struct [[gnu::packed]] s { char c; int i; };
enum e { A [[deprecated("old")]] = 1, B [[]] };
int main(void) {
  [[maybe_unused]] int y = f(1, 0);
  switch (y) { case 1: y = 2; [[fallthrough]]; case 3: y++; }
  CHECK(y == 3 && sizeof(struct s) == 5 && B == 2)
  CHECK(1'000'000 == 1000000 && 0xff'ff == 65535 && 0b1'01 == 5 && 12'3u == 123) char q = '\''; CHECK(q == 39)
  _Static_assert(1); _Static_assert(sizeof(int) == 4, "four");
  if (y == 3) goto l;
  y = 9;
l: int z = y; CHECK(z == 3)
  return __VERIFIER_nondet_end();
}
