// What lies behind all other members of a union keeps its value, whichever of them is written.
#include <stdlib.h>
struct tail { char c[2]; int before; int n; struct { short a[3]; int *q; } in; };
union data { void *p; int *i; struct tail str; };
struct record { int head; union data d[2]; };
static union data global;
static int target = 5;
static int *last(union data *d) { return &d->str.n; }
int main(void) {
  union data d;
  d.p = &target;
  d.str.n = 20;
  CHECK(*d.i == 5)
  CHECK(d.str.n == 20)
  d.str.in.a[2] = 7; d.str.in.q = &target; d.str.in.a[1] = -1;
  CHECK(*(int *)d.p == 5)
  *last(&d) += 2;
  CHECK(d.str.n == 22)
  d.p = malloc(4);
  if (d.p) { *d.i = 3; d.str.n++; CHECK(*d.i == 3) CHECK(d.str.n == 23) free(d.p); }
  d.p = d.str.in.q;
  CHECK(d.str.in.a[2] == 7 && d.str.in.a[1] == -1 && *d.str.in.q == 5)
  union data e = d;
  CHECK(e.str.n == 23) CHECK(*e.i == 5)
  global.str.n = 4;
  CHECK(global.p == 0)
  global.p = &global;
  CHECK(global.str.n == 4 && global.str.in.q == 0)
  struct record r[2];
  int k = target - 4;
  r[k].d[k].p = r; r[k].d[0].p = 0; r[0].d[k].str.n = 1; r[k].d[k].str.n = 2; r[k].d[0].str.n = 3;
  CHECK(r[1].d[1].p == r) CHECK(r[1].d[1].str.n == 2) CHECK(r[0].d[1].str.n == 1) CHECK(r[1].d[0].str.n == 3)
  d.str = (struct tail){ .c = {1, 2}, .before = 3, .n = 23 };
  d.p = &target; d.str.c[1] = 9; d.p = d.str.in.q; CHECK(d.p == 0)
  d.str.c[1] = 5; e = d; e.p = &d; CHECK(e.p == &d && e.str.n == 23)
  d.str = (struct tail){ .c = {1, 2}, .before = 3, .n = 23 };
  struct tail t = d.str;
  CHECK(t.n == 23 && t.c[1] == 2 && t.before == 3)
  return __VERIFIER_nondet_end();
}
