// What is known of functions of <math.h> that libraries round as they like.
// run: palisade verify --int bv --timeout 30 $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade verify --int bv --timeout 30 -D WRONG=1 $FILE
// exit: 20
// stdout: or what the library knows of earlier calls)
// run: palisade verify --int bv --timeout 30 -D WRONG=2 $FILE
// exit: 10
// run: palisade verify --int bv --timeout 30 -D WRONG=3 $FILE
// exit: 10
#include <assert.h>
#include <math.h>
#ifndef WRONG
#define WRONG 0
#endif
extern double __VERIFIER_nondet_double(void);
extern float __VERIFIER_nondet_float(void);

int main(void) {
  double x = __VERIFIER_nondet_double();
  // Exact results.
  assert(cos(0) == 1 + (WRONG == 2) && sin(0) == 0 && exp(0) == 1 && log(1) == 0 && pow(x, 0) == 1);
  assert(isnan(log(-1)) && isinf(log(0)) && isnan(sin(INFINITY)) && exp(-INFINITY) == 0);
  assert(hypot(INFINITY, x) > 1);
  if (isnan(x)) assert(isnan(sin(x)) && isnan(sqrt(x)) && isnan(pow(x, 1)) == (WRONG != 3));
  if (isnan(x) || isinf(x)) return 0;
  // Bounds.
  double s = sin(x), c = cos(x);
  assert(s >= -1 && s <= 1 && c >= -1 && c <= 1);
  assert(exp(x) >= 0 && cosh(x) >= 1 && tanh(x) <= 1);
  if (x > 1) assert(log(x) >= 0 && log10(x) >= 0 && pow(x, 0.5) >= 0 && atan(x) <= 1.6);
  if (WRONG == 1) assert(s != 0.5);
  float f = __VERIFIER_nondet_float();
  if (f >= -1 && f <= 1) assert(asinf(f) <= 1.6f && acosf(f) >= 0);
  return 0;
}
