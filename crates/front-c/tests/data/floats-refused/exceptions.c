/* Exceptions are not modelled. */
#include <fenv.h>
int main(void) {
  feclearexcept(FE_ALL_EXCEPT);
  if (!fetestexcept(FE_INEXACT)) reach_error();
}
