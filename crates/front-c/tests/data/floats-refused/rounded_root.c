/* The compiler may know this root, in another rounding mode. */
#include <fenv.h>
#include <math.h>
int main(void) {
  fesetround(FE_DOWNWARD);
  if (sqrt(2.0) * sqrt(2.0) < 2) reach_error();
}
