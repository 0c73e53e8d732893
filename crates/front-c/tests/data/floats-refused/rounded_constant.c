/* The compiler may divide, in another rounding mode. */
#include <fenv.h>
int main(void) {
  fesetround(FE_UPWARD);
  double x = 1.0 / 3.0;
  if (x * 3 != 1) reach_error();
}
