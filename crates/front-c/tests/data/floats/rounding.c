// The rounding modes of <fenv.h>.
#include <math.h>
#include <fenv.h>
static double third = 1.0 / 3, tenth = 0.1;
static double divided(double a, double b) { return a / b; }
static float narrowed(double a) { return a; }
static double in_mode(int mode, double a, double b) {
  int old = fegetround();
  fesetround(mode);
  double q = a / b;
  fesetround(old);
  return q;
}
int main(void) {
  double one = 1, three = 3, x = 2.5, big = 0x1.fffffffffffffp1023, tiny = 0x1p-1074;
  float f = 16777216.0f;
  int n = 16777217;
  unsigned u = 4294967295u;
  long long l = 9007199254740993;
  CHECK(fegetround() == FE_TONEAREST && fesetround(FE_TONEAREST) == 0 && divided(1, 3) == third)
  CHECK(fesetround(FE_UPWARD) == 0 && fegetround() == FE_UPWARD && divided(one, three) > third && divided(-one, three) == -third)
  CHECK(narrowed(tenth) == 0x1.99999ap-4f && narrowed(third) == 0x1.555556p-2f && (float)n == 16777218.0f && (float)-n == -f)
  CHECK((double)l == 9007199254740994.0 && (double)-l == -9007199254740992.0 && (float)u == 4294967296.0f && (double)n == 16777217.0)
  CHECK(big * 2 == INFINITY && -big * 2 == -big && tiny / 2 == tiny && signbit(-tiny / 2) && -tiny / 2 == 0)
  CHECK(rint(x) == 3 && rint(-x) == -2 && nearbyint(x) == 3 && lrint(x) == 3 && llrint(-x) == -2 && rintf(0.25f) == 1 && signbit(rint(-0.25)))
  CHECK(floor(x) == 2 && ceil(-x) == -2 && trunc(x) == 2 && round(x) == 3 && lround(x) == 3 && (int)x == 2)
  CHECK(!signbit(x - x) && sqrt(three) == 0x1.bb67ae8584cabp0 && sqrtf(f + 1) > sqrtf(f) && third == 0x1.5555555555555p-2)
  CHECK(fesetround(FE_DOWNWARD) == 0 && fegetround() == FE_DOWNWARD && divided(one, three) == third && divided(-one, three) < -third)
  CHECK(narrowed(tenth) == 0x1.999998p-4f && (float)n == f && (float)-n == -16777218.0f && (double)-l == -9007199254740994.0)
  CHECK(big * 2 == big && -big * 2 == -INFINITY && tiny / 2 == 0 && -tiny / 2 == -tiny && (float)u == 0x1.fffffep31f)
  CHECK(rint(x) == 2 && rint(-x) == -3 && nearbyint(x) == 2 && lrint(-x) == -3 && rintf(-0.25f) == -1 && rint(2.9) == 2)
  CHECK(signbit(x - x) && signbit(three + -three) && !signbit(x * 0) && sqrt(three) == 0x1.bb67ae8584caap0 && fmod(7.5, 2) == 1.5)
  CHECK(!signbit(fmod(4, 2)) && signbit(fmod(-4, 2)) && fabs(-x) == x && fmin(x, 3) == x)
  CHECK(fesetround(FE_TOWARDZERO) == 0 && fegetround() == FE_TOWARDZERO && divided(one, three) == third && divided(-one, three) == -third)
  CHECK(narrowed(tenth) == 0x1.999998p-4f && narrowed(-tenth) == -0x1.999998p-4f && (float)n == f && (float)-n == -f)
  CHECK(big * 2 == big && -big * 2 == -big && big + big == big && tiny / 2 == 0 && -tiny / 2 == 0 && !signbit(x - x))
  CHECK(rint(x) == 2 && rint(-x) == -2 && rint(2.9) == 2 && nearbyint(-2.9) == -2 && lrint(-2.9) == -2 && sqrt(three) == 0x1.bb67ae8584caap0)
  CHECK(in_mode(FE_UPWARD, one, three) == 0x1.5555555555556p-2 && fegetround() == FE_TOWARDZERO && in_mode(FE_TONEAREST, 2, three) == 0x1.5555555555555p-1)
  f += 1;
  n = 5;
  CHECK(f == 16777216.0f && (f++, f == 16777216.0f) && (x += tenth, x < 2.6) && n / 2 * 1.5 == 3)
  fesetround(FE_UPWARD);
  f += 1;
  CHECK(f == 16777218.0f && (n > 4 ? tenth * three : x) == 0x1.3333333333334p-2 && (one + tiny > one ? 1 : 0) && one - tiny == one)
  static double kept = 1.0 / 3;
  CHECK(kept == third && (fesetround(FE_TONEAREST), one / three) == third && one / three == 1.0 / 3)
  return __VERIFIER_nondet_end();
}
