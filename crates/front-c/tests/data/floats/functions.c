// The functions of <math.h> that are operations of IEEE 754.
#include <math.h>
#include <float.h>
int main(void) {
  double zero = 0, inf = INFINITY, nan = NAN, x = 2.5;
  CHECK(fabs(-x) == 2.5 && fabsf(-0.1f) == 0.1f && sqrt(2.0) == 1.4142135623730951 && sqrtf(2.0f) == 1.41421354f)
  CHECK(sqrt(x * x) == x && isnan(sqrt(-1.0)) && sqrt(inf) == inf && 1 / sqrt(-zero) == -inf)
  CHECK(floor(x) == 2 && floor(-x) == -3 && ceil(x) == 3 && ceil(-x) == -2 && trunc(x) == 2 && trunc(-x) == -2)
  CHECK(round(x) == 3 && round(-x) == -3 && rint(x) == 2 && rint(3.5) == 4 && nearbyint(-x) == -2 && round(0.49999999999999994) == 0)
  CHECK(floorf(-0.5f) == -1 && ceilf(0.5f) == 1 && truncf(1e30f) == 1e30f && roundf(-0.5f) == -1 && rintf(0.5f) == 0)
  CHECK(1 / ceil(-0.5) == -inf && 1 / trunc(0.5) == inf && lround(x) == 3 && lrint(x) == 2 && llround(-x) == -3)
  CHECK(fmin(x, 3) == x && fmax(x, 3) == 3 && fmin(nan, 1) == 1 && fmax(1, nan) == 1 && isnan(fmax(nan, nan)))
  CHECK(copysign(3, -zero) == -3 && copysign(-3, 1) == 3 && copysignf(1, -2) == -1)
  CHECK(isnan(nan) && !isnan(inf) && isinf(inf) && isinf(-inf) && !isinf(x) && isfinite(x) && !isfinite(inf) && !isfinite(nan))
  CHECK(isnormal(x) && !isnormal(zero) && !isnormal(DBL_MIN / 2) && isnormal(FLT_MIN) && !isnormal((float)FLT_MIN / 2))
  CHECK(signbit(-x) && !signbit(x) && signbit(-zero) && signbit(-inf))
  CHECK(fpclassify(x) == FP_NORMAL && fpclassify(nan) == FP_NAN && fpclassify(inf) == FP_INFINITE && fpclassify(zero) == FP_ZERO)
  CHECK(fpclassify(DBL_MIN / 4) == FP_SUBNORMAL && fpclassify(FLT_MIN / 4) == FP_SUBNORMAL && fpclassify((double)FLT_MIN / 4) == FP_NORMAL)
  CHECK(isgreater(x, 1) && !isgreater(nan, 1) && isgreaterequal(x, x) && isless(1, x) && islessequal(x, x))
  CHECK(islessgreater(x, 1) && !islessgreater(x, x) && !islessgreater(x, nan) && isunordered(x, nan) && !isunordered(x, x))
  CHECK(DBL_MAX + DBL_EPSILON == DBL_MAX && DBL_MAX * 2 == HUGE_VAL && 1 + DBL_EPSILON > 1 && 1 + DBL_EPSILON / 2 == 1)
  CHECK(FLT_MAX < DBL_MAX && (float)DBL_MAX == INFINITY && __builtin_isinf_sign(-inf) == -1 && __builtin_fabs(-1.0) == 1)
  CHECK(fmod(7.5, 2) == 1.5 && fmod(-7.5, 2) == -1.5 && fmod(7.5, -2) == 1.5 && fmod(1, 3) == 1 && fmodf(5.5f, 0.1f) == 0.0999999195f)
  CHECK(isnan(fmod(1, zero)) && isnan(fmod(inf, 2)) && fmod(2, inf) == 2 && 1 / fmod(-4, 2) == -inf && fmod(1e17, 3) == 1)
  return __VERIFIER_nondet_end();
}
