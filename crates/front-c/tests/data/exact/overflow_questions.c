/* Questions about overflow without a result, sign bits, `realloc` of null, a level of optimisation. */
#pragma GCC optimize("O1")
void *realloc(void *, __SIZE_TYPE__);
int main(void) {
  int big = 2147483647, i = -3; unsigned u = 4000000000u; signed char c = 100; long l = -1;
  struct { int b : 3; } s = { 1 };
  CHECK(__builtin_add_overflow_p(big, 1, 0) && !__builtin_add_overflow_p(big, 1, 0ll))
  CHECK(__builtin_add_overflow_p(c, c, c) && !__builtin_add_overflow_p(c, c, i))
  CHECK(__builtin_sub_overflow_p(i, u, 0) && !__builtin_sub_overflow_p(i, -3, (unsigned char)0))
  CHECK(__builtin_mul_overflow_p(big, 3, 1) && !__builtin_mul_overflow_p(u, 2, 1ll))
  CHECK(__builtin_add_overflow_p(2, 2, s.b) && !__builtin_add_overflow_p(1, 2, s.b))
  CHECK(__builtin_clrsb(0) == 31 && __builtin_clrsb(-1) == 31 && __builtin_clrsb(1) == 30)
  CHECK(__builtin_clrsb(i) == 29 && __builtin_clrsb(big) == 0 && __builtin_clrsb(-2147483647 - 1) == 0)
  CHECK(__builtin_clrsbl(l) == 8 * (int)sizeof l - 1 && __builtin_clrsbll(1ll << 40) == 22)
  int *p = realloc(0, 8); p[1] = 5; p = realloc((void *)0, 4); *p = 6; CHECK(*p == 6)
  return __VERIFIER_nondet_end();
}
