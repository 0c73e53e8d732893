// Bit-fields promote to `int` where it holds their values; wider ones keep their width, as gcc has it.
struct s { unsigned a : 3; int b : 3; unsigned c : 32; _Bool d : 1; unsigned long long e : 40; signed char f : 5; };
int main(void) {
  struct s s = { 7, -4, 0xffffffffu, 1, 0xffffffffffULL, -16 };
  CHECK(s.a - 8 < 0) CHECK(s.a + s.b == 3) CHECK(-s.a == -7) CHECK(~s.a == -8)
  CHECK(s.c + 1 == 0) CHECK(-s.c == 1)
  CHECK(s.d == 1) s.d = 2; CHECK(s.d == 1) CHECK(s.f == -16)
  CHECK((s.e << 1) == 0xfffffffffeULL) CHECK(s.e + 1ULL == 0x10000000000ULL)
  s.a++; CHECK(s.a == 0) s.a--; CHECK(s.a == 7) s.b += 100; CHECK(s.b == 0)
  int r = (s.a = 9); CHECK(r == 1) CHECK(s.a == 1)
  CHECK(sizeof(+s.a) == 4)
  s.a = 5; CHECK((s.a << 29) < 0 || 1) CHECK(s.a > -1)
  return __VERIFIER_nondet_end();
}
