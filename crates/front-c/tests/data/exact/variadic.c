// Variable arguments.
#include <stdarg.h>
int sum(int n, ...) {
  va_list ap; int s = 0;
  va_start(ap, n);
  for (int i = 0; i < n; i++) s += va_arg(ap, int);
  va_end(ap);
  return s;
}
static long walk(const char *f, va_list ap) {
  long s = 0;
  while (*f) {
    switch (*f++) {
    case 'i': s += va_arg(ap, int); break;
    case 'u': s += va_arg(ap, unsigned); break;
    case 'l': s += va_arg(ap, long); break;
    case 'q': s += va_arg(ap, unsigned long long) == ~0ull; break;
    case 's': s += *va_arg(ap, const char *); break;
    case 'p': *va_arg(ap, int *) = (int)s; break;
    }
  }
  return s;
}
long format(const char *f, ...) {
  va_list a, b; long r;
  va_start(a, f); va_copy(b, a);
  r = walk(f, a) * 1000 + walk(f, b);
  va_end(a); va_end(b);
  return r;
}
// The callee moves the caller's list.
static int first(va_list *ap) { return va_arg(*ap, int); }
int two(int n, ...) {
  va_list ap; va_start(ap, n);
  int a = first(&ap), b = first(&ap);
  va_end(ap);
  va_start(ap, n);
  int c = va_arg(ap, int);
  va_end(ap);
  return a * 100 + b * 10 + c + n;
}
int none(int n, ...) { return n; }
int outer(int n, ...) {
  va_list ap; va_start(ap, n);
  int s = 0;
  while (n-- > 0) s += sum(2, va_arg(ap, int), n);
  va_end(ap);
  return s;
}
struct log { int count; va_list ap; };
int kept(int n, ...) {
  struct log l; va_start(l.ap, n);
  l.count = n; int s = 0;
  while (l.count--) s = s * 10 + va_arg(l.ap, int);
  va_end(l.ap);
  return s;
}
int main(void) {
  int out = 0; char c = 'A'; short h = -2; unsigned char u = 255;
  CHECK(sum(0) == 0 && sum(3, 1, 2, 3) == 6 && sum(2, c, h) == 63 && sum(1, u) == 255)
  CHECK(format("il", 1, 2L) == 3003) CHECK(format("s", "B") == 66066)
  CHECK(format("uq", 40u, ~0ull) == 41041)
  CHECK(format("iip", 3, 4, &out) == 7007 && out == 7)
  CHECK(two(3, 1, 2) == 124) CHECK(none(4) == 4 && none(4, "x", 3) == 4)
  CHECK(outer(3, 5, 6, 7) == 5 + 6 + 7 + 2 + 1 + 0) CHECK(kept(4, 1, 2, 3, 4) == 1234)
  int (*f)(int, ...) = sum; CHECK(f(2, 20, 22) == 42) f = none; CHECK(f(2, 20, 22) == 2)
  for (int i = 0; i < 3; i++) CHECK(sum(2, i, i) == 2 * i)
  CHECK(sum(2, sum(1, 4), sum(2, 1, 1)) == 6)
  return __VERIFIER_nondet_end();
}
