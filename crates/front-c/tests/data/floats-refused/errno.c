/* The library may set errno. */
#include <math.h>
#include <errno.h>
int main(void) {
  double x = ldexp(1, 5000);
  if (errno) reach_error();
}
