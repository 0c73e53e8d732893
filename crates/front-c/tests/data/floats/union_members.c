/* Unions of floating-point numbers, integers, bit-fields, arrays, structs and unions: the bits are shared. */
#include <string.h>
#include <stdlib.h>
#include <stdint.h>

union word { float f; uint32_t i; struct { uint32_t m : 23, e : 8, s : 1; } b; };
union long_word {
  double d;
  unsigned char c[8];
  uint64_t i;
  struct { uint32_t lo, hi; } w;
  union { uint16_t h[4]; float f[2]; } n;
};
struct holder { char kind; union word u; union long_word all[2]; };

static float absolute(float x) { union word u = {x}; u.b.s = 0; return u.f; }
static int exponent(double x) {
  union long_word u = {x};
  return (int)(u.i >> 52 & 0x7ff) - 0x3ff;
}
static double half(double x) { union long_word u; u.d = x; u.i -= 1ull << 52; return u.d; }
static union word same(union word u) { return u; }

int main(void) {
  union word u;
  u.f = -6.5f;
  CHECK(u.i == 0xc0d00000 && u.b.s == 1 && u.b.e == 129 && u.b.m == 0x500000)
  u.b.s = 0;
  CHECK(u.f == 6.5f)
  u.b.e = u.b.e + 1;
  CHECK(u.f == 13.0f && same(u).i == u.i)
  u.i = 0x3f800000;
  CHECK(u.f == 1.0f && u.b.m == 0)
  CHECK(absolute(-0.1f) == 0.1f && absolute(2.0f) == 2.0f)

  union long_word v;
  v.d = 1.5;
  CHECK(v.i == 0x3ff8000000000000 && v.w.lo == 0 && v.w.hi == 0x3ff80000 && v.c[7] == 0x3f && v.c[6] == 0xf8)
  v.c[7] |= 0x80;
  CHECK(v.d == -1.5 && v.n.h[3] == 0xbff8)
  v.w.lo = 1;
  CHECK(v.d < -1.5 && v.i == 0xbff8000000000001 && v.n.h[0] == 1)
  v.n.f[1] = 2.0f;
  CHECK(v.w.hi == 0x40000000 && v.i == 0x4000000000000001)
  for (int k = 0; k < 8; k++) v.c[k] = 0;
  CHECK(v.d == 0 && v.i == 0)
  v.c[0] = 1;
  CHECK(v.d > 0 && v.d < 1e-300)
  CHECK(exponent(1.0) == 0 && exponent(0.3) == -2 && exponent(1024.5) == 10)
  CHECK(half(3.0) == 1.5)

  struct holder h;
  memset(&h, 0, sizeof h);
  h.u.f = 2.5f;
  h.all[1].d = -0.0;
  CHECK(h.all[1].w.hi == 0x80000000 && h.all[0].i == 0 && h.u.i == 0x40200000)
  struct holder g = h;
  CHECK(g.all[1].c[7] == 0x80 && g.u.b.e == 128)
  g.all[0] = v;
  CHECK(g.all[0].c[0] == 1 && g.all[0].n.h[0] == 1)
  for (int k = 0; k < 2; k++) g.all[k].w.hi = (uint32_t)k + 0x3ff00000;
  CHECK(g.all[0].d >= 1.0 && g.all[1].d > 1.0 && g.all[1].c[4] == 1)

  union word *p = malloc(sizeof *p);
  if (!p) return 0;
  p->f = 1.0f;
  CHECK(p->i == 0x3f800000)
  uint32_t *q = &p->i;
  *q = 0x40000000;
  CHECK(p->f == 2.0f && p->b.e == 128)
  float *r = &u.f;
  *r = 0.5f;
  CHECK(u.i == 0x3f000000)
  free(p);

  /* What was not written stays as it is, whatever it is. */
  union long_word w;
  w.c[0] = 7;
  CHECK((w.i & 255) == 7 && (w.i >> 8 & 255) == w.c[1] && w.w.hi == w.i >> 32)
  return __VERIFIER_nondet_end();
}
