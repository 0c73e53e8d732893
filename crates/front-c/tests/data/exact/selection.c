// `_Generic`, questions about types, casts to unions, `__func__`, assembly without instructions.
struct s { int a; }; struct t { int a; };
#define KIND(x) _Generic((x), int: 1, unsigned: 2, short: 3, unsigned char: 4, struct s: 5, default: 9)
#define SAME(a, b) __builtin_types_compatible_p(a, b)
union u { int i; short h; char *p; };
static int number(union u v) { return v.i; }
static const char *name(void) { return __func__; }
static int length(void) { return sizeof __FUNCTION__; }
int calls;
static int count(void) { return ++calls; }
int main(void) {
  const int k = 1; unsigned n = 2; short h = 3; unsigned char c = 4; struct s s = { 5 }; struct t t = { 6 };
  CHECK(KIND(k) == 1 && KIND(n) == 2 && KIND(h) == 3 && KIND(c) == 4 && KIND(s) == 5 && KIND(t) == 9)
  CHECK(KIND(h + h) == 1 && KIND(n + 1) == 2 && KIND(&s) == 9 && KIND(count()) == 1 && calls == 0)
  CHECK(_Generic(1, int: count(), default: 7) == 1 && calls == 1)
  _Generic(n, unsigned: h, default: c) = 30; CHECK(h == 30 && c == 4)
  CHECK(SAME(int, signed int) && !SAME(int, unsigned) && !SAME(struct s, struct t) && SAME(const int, int))
  CHECK(!SAME(int *, char *) && SAME(__typeof__(h), short) && !SAME(int[2], int[3]))
  CHECK(number((union u)7) == 7) CHECK(((union u)h).h == 30) CHECK(((union u)"ab").p[1] == 'b')
  CHECK(name()[0] == 'n' && name()[3] == 'e' && name()[4] == 0 && length() == 7)
  const char *f = __func__; CHECK(f == __func__ && f[1] == 'a' && __PRETTY_FUNCTION__[2] == 'i')
  int x = 3, y = 4;
  __asm__ volatile ("" : "+r"(x) : : "memory"); CHECK(x == 3)
  __asm__ ("" : "=r"(x) : "0"(y)); CHECK(x == 4)
  __asm__ ("" : [to] "=r"(y) : [from] "[to]"(x + 1)); CHECK(y == 5)
  __asm__ ("" : : "r"(x), "m"(y)); CHECK(x == 4 && y == 5)
  __asm__ ("" : "=r"(x), "=r"(y) : "0"(y), "1"(x)); CHECK(x == 5 && y == 4)
  return __VERIFIER_nondet_end();
}
