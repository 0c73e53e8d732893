/* Objects seen through pointers of other types: bytes of integers, integers in bytes. */
#include <string.h>
#include <stddef.h>

struct S { int a; short b; unsigned char c[6]; long long d; };
struct B { unsigned x : 3, y : 7, z : 12; _Bool f; };
struct __attribute__((packed)) P { char c; int i; short s; };
struct L { struct L *next; int v; };
struct D { char c[8]; int i; } pair[2];
struct E { char c; int i[3]; } g0;
extern void *malloc(size_t);

static unsigned char wire[16];
static unsigned table[4] = {0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c};

static void put32(unsigned char *p, unsigned v) {
  p[0] = (unsigned char)v; p[1] = (unsigned char)(v >> 8); p[2] = (unsigned char)(v >> 16);
  p[3] = (unsigned char)(v >> 24);
}

static unsigned sum(const void *p, unsigned n) {
  const unsigned char *q = p;
  unsigned s = 0;
  while (n--) s += *q++;
  return s;
}

static int *elsewhere(struct L *l) { return &l->v; }

int main(void) {
  unsigned x = 0x01020304;
  unsigned char *p = (unsigned char *)&x;
  CHECK(p[0] == 4 && p[1] == 3 && p[2] == 2 && p[3] == 1)
  p[1] = 0xff;
  CHECK(x == 0x0102ff04)
  for (unsigned i = 0; i < sizeof x; i++) p[i] ^= 0x55;
  CHECK(x == 0x5457aa51)
  CHECK(sum(&x, 4) == 0x54 + 0x57 + 0xaa + 0x51)

  int neg = -2;
  CHECK(((signed char *)&neg)[0] == -2 && ((char *)&neg)[3] == -1)
  *(unsigned char *)&neg = 1;
  CHECK(neg == -255)

  put32(wire + 1, 0xdeadbeef);
  CHECK(*(unsigned *)(wire + 1) == 0xdeadbeef)
  CHECK(*(unsigned short *)(wire + 3) == 0xdead)
  *(unsigned short *)(wire + 2) = 0x1234;
  CHECK(wire[1] == 0xef && wire[2] == 0x34 && wire[3] == 0x12 && wire[4] == 0xde)
  CHECK(*(long long *)wire == 0x000000de1234ef00LL)

  for (int i = 0; i < 16; i++) CHECK(((unsigned char *)table)[i] == i)
  CHECK(*(unsigned short *)((char *)table + 6) == 0x0706)
  ((unsigned char *)table)[9] = 0x99;
  CHECK(table[2] == 0x0b0a9908)

  struct S s;
  s.a = -2; s.b = 0x1234; s.d = 0x1122334455667788LL;
  for (int i = 0; i < 6; i++) s.c[i] = (unsigned char)(10 * i);
  unsigned char *q = (unsigned char *)&s;
  CHECK(q[0] == 0xfe && q[3] == 0xff && q[4] == 0x34 && q[5] == 0x12 && q[6] == 0 && q[11] == 50)
  CHECK(q[offsetof(struct S, d)] == 0x88 && q[offsetof(struct S, d) + 7] == 0x11)
  q[offsetof(struct S, d) + 1] = 0;
  CHECK(s.d == 0x1122334455660088LL)
  CHECK(*(short *)(q + 4) == 0x1234)
  CHECK(*(int *)(q + 4) == 0x0a001234)
  CHECK(sum(&s, 4) == 254 + 3 * 255)

  struct S *whole = (struct S *)((char *)&s.b - offsetof(struct S, b));
  CHECK(whole == &s && whole->a == -2)
  whole->b = 7;
  CHECK(s.b == 7)
  CHECK((char *)&s.d - (char *)&s == offsetof(struct S, d))
  CHECK((unsigned char *)&s.c[2] == q + 8)

  unsigned y;
  unsigned char raw[4] = {1, 2, 3, 4};
  memcpy(&y, raw, 4);
  CHECK(y == 0x04030201)
  memcpy((char *)&y + 1, raw, 2);
  CHECK(y == 0x04020101)
  memset((char *)&y + 2, 0x7f, 2);
  CHECK(y == 0x7f7f0101)
  unsigned z = 0x7f7f0101;
  CHECK(memcmp(&y, &z, 4) == 0)
  z = 0x7f7f0201;
  CHECK(memcmp(&z, &y, 4) > 0)

  struct B b;
  memset(&b, 0, sizeof b);
  b.x = 5; b.y = 77; b.z = 0xabc; b.f = 1;
  unsigned char *r = (unsigned char *)&b;
  CHECK(r[0] == (5 | (77 << 3 & 0xff)))
  CHECK(r[offsetof(struct B, f)] == 1)
  r[0] = 0xff;
  CHECK(b.x == 7 && b.y == (77 | 31) && b.z == 0xabc)

  struct P k = {1, 0x01020304, -3};
  char *w = (char *)&k;
  CHECK(w[0] == 1 && w[1] == 4 && w[4] == 1 && w[5] == -3 && w[6] == -1)
  struct P in = *(struct P *)w;
  CHECK(in.i == 0x01020304 && in.s == -3)
  char frame[8] = {9, 1, 0, 0, 0, 2, 0, 0};
  struct P *header = (struct P *)frame;
  CHECK(header->c == 9 && header->i == 1 && header->s == 2)
  header->i = -1;
  CHECK(frame[1] == -1 && frame[4] == -1 && frame[5] == 2)

  struct L last = {0, 5}, first = {&last, 6};
  struct L *l = (struct L *)((char *)elsewhere(&last) - offsetof(struct L, v));
  CHECK(l == &last && l->v == 5 && l->next == 0)
  CHECK(((struct L *)((char *)&first.v - offsetof(struct L, v)))->next->v == 5)

  short grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
  char *g = (char *)grid;
  int n = 0;
  for (unsigned i = 0; i < sizeof grid; i += 2) n = 10 * n + g[i];
  CHECK(n == 123456)
  *(short *)(g + 8) = 500;
  CHECK(grid[1][1] == 500 && ((int *)grid)[2] == (6 << 16) + 500)
  CHECK(((int *)grid) + 3 == (int *)(grid + 2))

  struct E *e = &g0;
  CHECK((char *)(e + 1) - (char *)e == 16)
  CHECK((char *)&pair[1] - &pair[0].c[4] == 8)
  struct D *block = malloc(2 * sizeof(struct D));
  if (!block) return 0;
  char *step = (char *)block + 4;
  step = step + 8;
  CHECK(step == (char *)(block + 1))
  step[8] = 1;
  step[9] = 0;
  step[10] = 0;
  step[11] = 0;
  CHECK(block[1].i == 1)
  return __VERIFIER_nondet_end();
}
