// The bits of a number through a union, as mathematical libraries look at them.
union single { float f; unsigned u; int i; };
union twice { double d; unsigned long long u; long long i; };
struct holder { int tag; union single cells[3]; };
static unsigned bits(float x) { union single s; s.f = x; return s.u; }
static float number(unsigned x) { union single s; s.u = x; return s.f; }
static float absolute(float x) { union single s; s.f = x; s.u &= 0x7fffffff; return s.f; }
int main(void) {
  CHECK(bits(1.0f) == 0x3f800000 && bits(-0.0f) == 0x80000000u && number(0x40490fdb) == 3.14159274f && absolute(-2.5f) == 2.5f)
  union twice t; t.d = -1.5; CHECK(t.u == 0xbff8000000000000ull && t.i < 0) t.i = 1; CHECK(t.d == 4.9e-324)
  t.u = 0x7ff0000000000000ull; CHECK(t.d > 1e308 && t.d == t.d) t.u++; CHECK(t.d != t.d)
  struct holder h = { 1, { { 1.0f }, { 2.0f }, { 0 } } }, *p = &h;
  for (int k = 0; k < 2; k++) p->cells[k].u += 0x800000;
  CHECK(h.cells[0].f == 2 && p->cells[1].f == 4 && h.cells[2].i == 0)
  union single s; s.u = 0xffffffffu; CHECK(s.i == -1) s.i = -2; CHECK(s.u == 4294967294u)
  union single copy = s; CHECK(copy.i == -2 && copy.u == 4294967294u)
  return __VERIFIER_nondet_end();
}
