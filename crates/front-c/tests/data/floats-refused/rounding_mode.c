/* No rounding mode. */
#include <fenv.h>
int main(void) {
  if (fesetround(5)) reach_error();
}
