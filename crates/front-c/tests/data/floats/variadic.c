// Floating-point numbers as variable arguments.
#include <stdarg.h>
struct sample { double v; int n; };
static double mean(int n, ...) {
  va_list ap; double s = 0;
  va_start(ap, n);
  for (int i = 0; i < n; i++) s += va_arg(ap, double);
  va_end(ap);
  return s / n;
}
static double mixed(const char *f, ...) {
  va_list ap; double s = 0;
  va_start(ap, f);
  for (; *f; f++)
    switch (*f) {
    case 'i': s += va_arg(ap, int); break;
    case 'd': s += va_arg(ap, double); break;
    case 's': { struct sample x = va_arg(ap, struct sample); s += x.v * x.n; break; }
    }
  va_end(ap);
  return s;
}
int main(void) {
  float half = 0.5f;
  CHECK(mean(2, 1.0, 2.0) == 1.5)
  CHECK(mean(3, half, -half, 3.0) == 1.0)
  struct sample x = { 0.25, 4 };
  CHECK(mixed("idsd", 2, 0.125, x, half) == 3.625)
  return __VERIFIER_nondet_end();
}
