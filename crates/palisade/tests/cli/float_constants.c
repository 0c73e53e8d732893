// INFINITY, NAN and HUGE_VAL are calls in the headers, and constants.
// run: palisade verify $FILE
// exit: 0
// run: palisade verify -D WRONG $FILE
// exit: 10
#include <math.h>
extern void reach_error(void);
static double a = INFINITY, b = -NAN, c = HUGE_VAL;
static float f = NAN, g[2] = {1, -HUGE_VALF};
static const struct {
  double d;
  float e;
} s = {__builtin_nan(""), __builtin_inff()};
int main(void) {
  static float local = INFINITY;
#ifdef WRONG
  if (a == c) reach_error();
#else
  if (a != c || b == b || f == f || s.d == s.d || s.e != local || g[1] != -local) reach_error();
#endif
}
