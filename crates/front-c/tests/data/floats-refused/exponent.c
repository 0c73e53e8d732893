/* C leaves open which exponent an infinity has. */
#include <math.h>
int main(void) {
  int e;
  frexp(INFINITY, &e);
  if (e == 0) reach_error();
}
