// Numbers in texts: strtod, strtof, atof.
#include <stdlib.h>
#include <math.h>
int main(void) {
  char *end;
  const char *s = " \t-2.5e+1x";
  CHECK(strtod(s, &end) == -25 && end == s + 9 && strtod("0.1", 0) == 0.1 && strtod("1e22", 0) == 1e22 && strtod("3e-22", 0) == 3e-22)
  CHECK(strtod("123456789012345e-5", 0) == 1234567890.12345 && atof("3.14159") == 3.14159 && strtod("9007199254740992", 0) == 0x1p53)
  s = "5.";
  CHECK(strtod(s, &end) == 5 && *end == 0 && (s = ".5e", strtod(s, &end) == 0.5) && end == s + 2 && (s = "1e+", strtod(s, &end) == 1) && end == s + 1)
  s = "x";
  CHECK(strtod(s, &end) == 0 && end == s && (s = "  .", strtod(s, &end) == 0) && end == s && (s = "-", strtod(s, &end) == 0) && end == s)
  s = "-InFinit";
  CHECK(strtod(s, &end) == -INFINITY && end == s + 4 && (s = "infinityy", strtod(s, &end) == INFINITY) && end == s + 8)
  s = "NaNx";
  CHECK(isnan(strtod(s, &end)) && end == s + 3 && signbit(strtod("-0", 0)) && !signbit(strtod("0e999999999999", 0)) && strtod("1e00005", 0) == 100000)
  CHECK(strtof("0.1", 0) == 0.1f && strtof("16777216e10", 0) == 16777216e10f && strtof("1.5e-3", &end) == 1.5e-3f && *end == 0 && atof("+7") == 7)
  return __VERIFIER_nondet_end();
}
