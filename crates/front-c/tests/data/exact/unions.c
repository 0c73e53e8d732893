// Members of unions that are made of integers without padding share their bits.
void *memset(void *, int, __SIZE_TYPE__); void *malloc(__SIZE_TYPE__); void free(void *);
union word { unsigned u; int i; unsigned char c[4]; signed char s[4]; struct { unsigned short low, high; } h;
             struct { unsigned a : 4, b : 12, c : 16; } f; };
union large { long long w; char c; struct { char a[3]; char b[5]; } s; };
struct packet { char kind; union word body; };
static union word global = { .i = -2 };
static union word table[3] = { { 1 }, { .h = { 2, 3 } } };
static void write_byte(unsigned char *p, int i, unsigned char v) { p[i] = v; }
static unsigned sum(union word w) { return w.c[0] + w.c[1] + w.c[2] + w.c[3]; }
static union word made(unsigned v) { union word w; w.u = v; return w; }
int main(void) {
  union word w;
  w.u = 0x01020304u;
  CHECK(w.c[0] == 4) CHECK(w.c[3] == 1) CHECK(w.h.low == 0x0304) CHECK(w.h.high == 0x0102)
  CHECK(w.f.a == 4) CHECK(w.f.b == 0x030) CHECK(w.f.c == 0x0102)
  w.c[1] = 0xff; CHECK(w.u == 0x0102ff04u) CHECK(w.s[1] == -1)
  int k = w.c[3]; w.s[k + 1] = -128; CHECK(w.u == 0x0180ff04u) CHECK(w.i == 0x0180ff04)
  w.h.high = 0x8000; CHECK(w.i < 0) CHECK(w.c[3] == 0x80) CHECK(w.c[2] == 0)
  w.f.b = 0xabc; CHECK(w.u == 0x8000abc4u)
  w.f.a++; CHECK(w.c[0] == 0xc5)
  w.i >>= 4; CHECK(w.u == 0xf8000abcu)
  unsigned char *p = w.c; write_byte(p, 2, 7); CHECK(w.u == 0xf8070abcu)
  write_byte(&w.c[1], 2, 0); CHECK(w.u == 0x00070abcu)
  short unsigned *q = &w.h.low; *q = 0xffff; CHECK(w.u == 0x0007ffffu)
  CHECK(global.c[0] == 0xfe) CHECK(global.h.high == 0xffff) global.s[3] = 0; CHECK(global.i == 0x00fffffe)
  CHECK(table[0].c[0] == 1) CHECK(table[1].u == 0x00030002u) CHECK(table[2].u == 0)
  for (int i = 0; i < 3; i++) { table[i].c[i + 1] = 9; }
  CHECK(table[0].u == 0x0901u) CHECK(table[1].u == 0x00090002u) CHECK(table[2].u == 0x09000000u)
  table[k] = w; CHECK(table[1].h.low == 0xffff) w = table[2]; CHECK(w.c[3] == 9)
  CHECK(sum(made(0x01020304u)) == 10)
  struct packet m[2]; m[1].body.u = 0; m[0].body.i = 5; m[k].body.c[k] = 1; CHECK(m[1].body.u == 0x100u)
  m[0] = m[1]; CHECK(m[0].body.h.low == 0x100) m[0].body.f.c = 3; CHECK(m[0].body.u == 0x30100u)
  CHECK(m[1].body.u == 0x100u)
  union large l; l.w = -1; l.c = 0; CHECK(l.w == -256)
  for (int i = 0; i < 5; i++) { l.s.b[i] = i; } CHECK(l.w == 0x0403020100ffff00LL)
  struct packet *h = malloc(2 * sizeof *h);
  if (h) { h[1].body.u = 0x11223344u; h[1].body.c[k] = 0; CHECK(h[1].body.u == 0x11220044u) free(h); }
  union word z; memset(&z, 0, sizeof z); CHECK(z.h.high == 0) z.c[2] = 1; CHECK(z.i == 65536)
  return __VERIFIER_nondet_end();
}
