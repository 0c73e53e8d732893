/* Unions inside unions and structs: all members share the bits. */
#include <string.h>

union inner { unsigned short h[2]; signed char q[4]; };
union outer {
  unsigned i;
  union inner n;
  struct { union { unsigned char a; signed char b; } x; unsigned char y; union { short s; unsigned char z[2]; } v; } t;
};
struct box { int before; union outer o[3]; union inner last; };

static unsigned total(union inner n) { return n.h[0] + n.h[1]; }

int main(void) {
  union outer o;
  o.i = 0x84030281;
  CHECK(o.n.h[0] == 0x0281 && o.n.q[3] == -124 && o.t.x.b == -127 && o.t.x.a == 0x81 && o.t.y == 2)
  CHECK(o.t.v.s == (short)0x8403 && o.t.v.z[0] == 3)
  o.t.v.z[1] = 1;
  CHECK(o.i == 0x01030281 && o.n.h[1] == 0x0103)
  o.n.q[0] = -1;
  CHECK(o.t.x.a == 255 && o.i == 0x010302ff)
  union inner n = o.n;
  CHECK(n.h[0] == 0x02ff && total(o.n) == 0x02ff + 0x0103)
  n.q[1] = 7;
  o.n = n;
  CHECK(o.i == 0x010307ff && o.t.y == 7)

  struct box b;
  memset(&b, 0, sizeof b);
  for (int k = 0; k < 3; k++) { b.o[k].i = 0x01010101u * (unsigned)k; b.o[k].t.y = 9; }
  CHECK(b.o[2].i == 0x02020902 && b.o[1].n.h[0] == 0x0901 && b.o[0].n.q[1] == 9)
  b.last = b.o[2].n;
  CHECK(b.last.q[1] == 9 && b.last.h[1] == 0x0202)
  union outer *p = &b.o[1];
  p->t.v.s = -2;
  CHECK(b.o[1].i == 0xfffe0901 && b.before == 0)
  signed char *q = &p->n.q[2];
  *q = 3;
  CHECK(p->i == 0xff030901)
  return __VERIFIER_nondet_end();
}
