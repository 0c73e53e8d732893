// The types of constants and operators: which are unsigned, which are wide.
int main(void) {
  CHECK(2147483648 > 0 && sizeof 2147483648 == 8) CHECK(0x80000000 > 0 && sizeof 0x80000000 == 4) CHECK(-1 < 0u == 0)
  CHECK(-1L < 1u == (sizeof(long) == 8)) CHECK(-1LL < 1u)
  CHECK((unsigned short)65535 * 2 == 131070) CHECK(((unsigned char)255 << 1) == 510) CHECK((signed char)128 == -128)
  CHECK(sizeof(1 ? 1 : 1LL) == 8) CHECK((1 ? -1 : 0u) > 0) CHECK(sizeof(char) == 1 && sizeof(_Bool) == 1)
  CHECK(sizeof(long double) == (sizeof(long) == 8 ? 16 : 12)) CHECK(sizeof(void *) == sizeof(long))
  CHECK((_Bool)256 == 1 && (_Bool)0 == 0) CHECK(1u - 2 > 0) CHECK((short)32768 == -32768) CHECK(~0u == 4294967295u)
  CHECK(-5 / 2 == -2 && -5 % 2 == -1 && 5 / -2 == -2) CHECK((-5 >> 1) == -3) CHECK(0b101 == 5 && 017 == 15)
  CHECK(__builtin_constant_p(3) && __builtin_constant_p(1 + 2) && __builtin_constant_p("x"))
  int v = 2; CHECK(!__builtin_constant_p(v++)) CHECK(v == 2)
  return __VERIFIER_nondet_end();
}
