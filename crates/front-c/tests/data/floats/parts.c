// Functions of <math.h> that take numbers apart, put them together, and look at their neighbours.
#include <math.h>
int main(void) {
  double zero = 0, inf = INFINITY, nan = NAN, tiny = 0x1p-1074, big = 0x1.fffffffffffffp1023, x = 2.5, w;
  float fw;
  int e;
  CHECK(frexp(x, &e) == 0.625 && e == 2 && frexp(-0.25, &e) == -0.5 && e == -1 && frexp(zero, &e) == 0 && e == 0 && signbit(frexp(-zero, &e)))
  CHECK(frexp(tiny * 3, &e) == 0.75 && e == -1072 && frexp(big, &e) == 0x1.fffffffffffffp-1 && e == 1024 && frexpf(0x1.8p-140f, &e) == 0.75f && e == -139)
  CHECK(modf(x, &w) == 0.5 && w == 2 && modf(-x, &w) == -0.5 && w == -2 && signbit(modf(-3.0, &w)) && w == -3 && modf(inf, &w) == 0 && w == inf)
  CHECK(isnan(modf(nan, &w)) && isnan(w) && modff(-0.75f, &fw) == -0.75f && signbit(fw) && fw == 0 && modf(-inf, &w) == 0 && w == -inf)
  CHECK(logb(x) == 1 && logb(0.9) == -1 && logb(-8.0) == 3 && logb(tiny) == -1074 && logb(zero) == -inf && logb(-inf) == inf && isnan(logb(nan)) && logbf(0x1p-149f) == -149)
  CHECK(ilogb(x) == 1 && ilogb(tiny * 2) == -1073 && ilogb(inf) == 2147483647 && ilogb(zero) == FP_ILOGB0 && ilogb(nan) == FP_ILOGBNAN && ilogbf(3e38f) == 127)
  CHECK(ldexp(x, 3) == 20 && ldexp(x, -1074) == 0x1p-1073 && ldexp(x, -1077) == 0 && ldexp(1, -1075) == 0 && ldexp(1.5, -1075) == tiny && ldexp(3, -1075) == 0x1p-1073)
  CHECK(ldexp(tiny, 2097) == 0x1p1023 && ldexp(tiny, 2098) == inf && ldexp(-1, 100000) == -inf && signbit(ldexp(-1, -100000)) && ldexp(big, -2098) == tiny)
  CHECK(ldexp(inf, -5000) == inf && isnan(ldexp(nan, 3)) && ldexp(zero, 5000) == 0 && scalbn(x, 1) == 5 && scalbln(x, -1L) == 1.25 && scalblnf(1, 127L) == 0x1p127f)
  CHECK(ldexpf(1, -149) == 0x1p-149f && ldexpf(1, -150) == 0 && ldexpf(1.5f, -150) == 0x1p-149f && ldexpf(0x1p-149f, 276) == 0x1p127f && scalbnf(3, 127) == INFINITY && ldexpf(0x1.fffffep127f, -276) == 0x1p-148f)
  CHECK(nextafter(1, 2) == 1 + 0x1p-52 && nextafter(1, 0) == 1 - 0x1p-53 && nextafter(zero, 1) == tiny && nextafter(zero, -1) == -tiny && signbit(nextafter(tiny, 0)) == 0)
  CHECK(nextafter(big, inf) == inf && nextafter(-inf, 0) == -big && nextafter(-1, 2) == -1 + 0x1p-53 && isnan(nextafter(nan, 1)) && nextafter(x, x) == x && signbit(nextafter(zero, -zero)))
  CHECK(nextafterf(1, 2) == 1 + 0x1p-23f && nextafterf(0x1p-149f, -1) == 0 && nextafterf(-0x1p-149f, 1) == 0 && signbit(nextafterf(-0x1p-149f, 1)))
  CHECK(fdim(3, 1) == 2 && fdim(1, 3) == 0 && !signbit(fdim(-zero, zero)) && isnan(fdim(nan, 1)) && fdim(inf, inf) == 0 && fdim(big, -big) == inf && fdimf(0.5f, 0.25f) == 0.25f)
  CHECK(remainder(7.5, 2) == -0.5 && remainder(5, 2) == 1 && remainder(7, 2) == -1 && remainder(-5, 2) == -1 && signbit(remainder(-4, 2)) && !signbit(remainder(4, -2)))
  CHECK(remainder(1e17, 3) == 1 && isnan(remainder(1, zero)) && isnan(remainder(inf, 1)) && remainder(2, inf) == 2)
  CHECK(remainder(tiny * 3, tiny * 2) == -tiny && remainder(big, big) == 0 && remainder(big, 0x1p1023) == -0x1p971 && remainderf(5.5f, 1.5f) == -0.5f && remainderf(0x1p-148f, 0x1.8p-148f) == -0x1p-149f)
  return __VERIFIER_nondet_end();
}
