/* Types of floating-point expressions, also where their values are not modelled. */
#define KIND(x) _Generic((x), float: 1, double: 2, long double: 3, default: 5)
float f;
double d;
long double l;
int main(void) {
  int c = 1;
  CHECK(sizeof(f + d) == 8 && sizeof(d + f) == 8 && sizeof(f + f) == 4 && sizeof(f * 2) == 4)
  CHECK(sizeof(1.0f + 1.0) == 8 && sizeof(1.0 - 1.0f) == 8 && sizeof(2 / 1.0f) == 4)
  CHECK(sizeof(c ? f : d) == 8 && sizeof(c ? d : f) == 8 && sizeof(c ? 1 : f) == 4)
  CHECK(sizeof(f + l) == sizeof l && sizeof(l - d) == sizeof l && sizeof(c ? d : l) == sizeof l)
  CHECK(sizeof(f += d) == 4 && sizeof(-d) == 8 && sizeof((c, f)) == 4)
  CHECK(sizeof(int[sizeof(f + d)]) == 32)
  CHECK(KIND(f) == 1 && KIND(f + 1) == 1 && KIND(+f) == 1 && KIND(1.0f) == 1)
  CHECK(KIND(f + d) == 2 && KIND(d * f) == 2 && KIND(c ? f : d) == 2 && KIND(2.0) == 2)
  CHECK(KIND(l - f) == 3 && KIND(d / l) == 3 && KIND(c ? l : f) == 3)
  CHECK(__builtin_types_compatible_p(float, float) && !__builtin_types_compatible_p(float, double))
  CHECK(!__builtin_types_compatible_p(double, long double))
  __VERIFIER_nondet_end();
}
