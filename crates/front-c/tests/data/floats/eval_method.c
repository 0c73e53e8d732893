/* Operations have the precision of their types, and the headers say so, with -m32 too. */
#include <float.h>
#include <math.h>

int main(void) {
  float_t f = 1;
  double_t d = 1;
  CHECK(FLT_EVAL_METHOD == 0)
  CHECK(sizeof f == sizeof(float) && sizeof d == sizeof(double))
  f = 16777216;
  CHECK(f + 1 == 16777216)
  return __VERIFIER_nondet_end();
}
