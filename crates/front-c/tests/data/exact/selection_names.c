/* Types of one width: which of them an expression has is seen by generic selection only. */
#define NAME(x)                                                                                          \
  _Generic((x), char: 1, signed char: 2, unsigned char: 3, short: 4, unsigned short: 5, int: 6,           \
           unsigned: 7, long: 8, unsigned long: 9, long long: 10, unsigned long long: 11, _Bool: 12,     \
           default: 13)
enum color { RED, GREEN };
enum other { LEFT, RIGHT };
enum sign { MINUS = -1, PLUS };
enum __attribute__((packed)) small { S0, S1 };
enum wide { W0, WIDE = 0x1ffffffffLL };
typedef unsigned long word_t;
struct s { long l; int i; unsigned char c; word_t w; enum color e; unsigned b : 5; };
static long f(int x) { return x; }
static char g(void) { return 'g'; }
int main(void) {
  char c = 1; signed char sc = 1; unsigned char uc = 1; short sh = 1; unsigned short us = 1;
  int i = 1; unsigned u = 1; long l = 1; unsigned long ul = 1; long long ll = 1;
  unsigned long long ull = 1; _Bool b = 1;
  enum color col = GREEN; enum other oth = LEFT; enum sign sg = PLUS; enum small sm = S1; enum wide w = WIDE;
  struct s s = { 1, 2, 3, 4, RED, 5 };
  long a[2] = { 1, 2 };
  CHECK(NAME(c) == 1 && NAME(sc) == 2 && NAME(uc) == 3 && NAME(sh) == 4 && NAME(us) == 5 && NAME(i) == 6)
  CHECK(NAME(u) == 7 && NAME(l) == 8 && NAME(ul) == 9 && NAME(ll) == 10 && NAME(ull) == 11 && NAME(b) == 12)
  CHECK(NAME(1) == 6 && NAME(1u) == 7 && NAME(1l) == 8 && NAME(1ul) == 9 && NAME(1ll) == 10 && NAME(1ull) == 11)
  CHECK(NAME('a') == 6 && NAME(c + c) == 6 && NAME(+c) == 6 && NAME(-uc) == 6 && NAME(~sh) == 6 && NAME(!l) == 6)
  CHECK(NAME(i + l) == 8 && NAME(l + i) == 8 && NAME(l + l) == 8 && NAME(i + i) == 6 && NAME(ul + i) == 9)
  CHECK(NAME(l + ll) == 10 && NAME(i << l) == 6 && NAME(l << i) == 8 && NAME(l == l) == 6 && NAME(l && l) == 6)
  CHECK(NAME(i ? i : l) == 8 && NAME(i ?: l) == 8 && NAME((i, l)) == 8 && NAME(i ? i : c) == 6)
  CHECK(NAME((long)i) == 8 && NAME((int)l) == 6 && NAME((char)1) == 1 && NAME((signed char)c) == 2)
  CHECK(NAME((long)1 + (int)2) == 8 && NAME((word_t)1) == 9 && NAME((long)(int)l) == 8 && NAME((int)(long)i) == 6)
  CHECK(NAME(l = i) == 8 && NAME(i = l) == 6 && NAME(l++) == 8 && NAME(--c) == 1 && NAME(l += 1) == 8)
  CHECK(NAME(f(1)) == 8 && NAME(g()) == 1 && NAME(s.l) == 8 && NAME(s.i) == 6 && NAME(s.c) == 3 && NAME(s.w) == 9)
  CHECK(NAME(a[1]) == 8 && NAME(*a) == 8 && NAME("s"[0]) == 1 && NAME(*&l) == 8 && NAME((&s)->l) == 8)
  CHECK(NAME(RED) == 6 && NAME(col) == 7 && NAME(col + 0) == 7 && NAME(sg) == 6 && NAME(sm + 0) == 6)
  CHECK(NAME(s.e) == 7 && NAME((enum color)1) == 7 && NAME(sm) == 3)
  CHECK(NAME(3000000000u) == 7 && NAME(0x80000000) == 7)
  CHECK(_Generic(col, enum other: 1, default: 2) == 2 && _Generic(col, enum color: 1, default: 2) == 1)
  CHECK(_Generic(oth, enum color: 1, enum other: 3, default: 2) == 3 && _Generic(u, enum color: 1, default: 2) == 1)
  CHECK(_Generic(sg, enum color: 1, int: 3, default: 2) == 3 && _Generic(w, enum wide: 1, default: 2) == 1)
  CHECK(!__builtin_types_compatible_p(int, long) && __builtin_types_compatible_p(long, signed long int))
  CHECK(!__builtin_types_compatible_p(char, signed char) && !__builtin_types_compatible_p(long, long long))
  CHECK(__builtin_types_compatible_p(enum color, unsigned) && !__builtin_types_compatible_p(enum color, enum other))
  CHECK(NAME(({ long t = 1; t; })) == 8 && NAME(({ c; })) == 1 && NAME((__typeof__(l))1) == 8)
  {
    __auto_type t = l;
    __typeof__(c + 0l) v = 1;
    CHECK(NAME(t) == 8 && NAME(v) == 8 && NAME(t + v) == 8)
  }
  CHECK(_Generic(sizeof(int), unsigned: sizeof(long) == 4, unsigned long: sizeof(long) == 8, default: 0))
  CHECK(_Generic(&a[1] - &a[0], int: sizeof(long) == 4, long: sizeof(long) == 8, default: 0))
  CHECK(NAME(__builtin_expect(i, 1)) == 8 && NAME(__builtin_popcount(1)) == 6)
  CHECK(i == 1 && l == 1 && c == 1) /* nothing was evaluated */
  return __VERIFIER_nondet_end();
}
