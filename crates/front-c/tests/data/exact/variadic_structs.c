// Structs as variable arguments.
#include <stdarg.h>
struct point { int x, y; }; union word { unsigned w; unsigned char b[4]; };
struct named { const char *name; struct point at; long size; };
static int sum(int n, ...) {
  va_list ap; int s = 0;
  va_start(ap, n);
  for (int i = 0; i < n; i++) { struct point p = va_arg(ap, struct point); s += p.x * p.y; p.x = 0; }
  va_end(ap);
  return s;
}
static long mixed(const char *f, ...) {
  va_list ap; long s = 0;
  va_start(ap, f);
  for (; *f; f++)
    switch (*f) {
    case 'i': s = s * 10 + va_arg(ap, int); break;
    case 'p': s = s * 10 + va_arg(ap, struct point).y; break;
    case 'n': { struct named n = va_arg(ap, struct named); s = s * 10 + n.at.x + n.size + (n.name[1] - 'b'); break; }
    case 'u': s = s * 10 + va_arg(ap, union word).b[1]; break;
    }
  va_end(ap);
  return s;
}
int main(void) {
  struct point a = { 2, 3 }, b = { 4, 5 }; struct point many[2] = { { 1, 1 }, { 6, 7 } };
  CHECK(sum(2, a, b) == 26) CHECK(a.x == 2)
  CHECK(sum(3, many[1], (struct point){ 1, 2 }, a) == 50)
  for (int i = 0; i < 2; i++) CHECK(sum(1, many[i]) == (i ? 42 : 1))
  struct named n = { "abc", { 2, 0 }, 5 }; union word w = { 0x0300 };
  CHECK(mixed("ipnui", 1, a, n, w, 4) == 13734)
  return __VERIFIER_nondet_end();
}
