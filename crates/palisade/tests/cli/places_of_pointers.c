// Pointers are told by the places that they point to, in runs and in invariants.
// run: palisade verify --64 -D CLAIM='by==0' $FILE
// exit: 10
// stdout: f = two, q = &box.b, y = &box.b.y, e = &box.t[4], c = &some::m[1][2], row = &some::m[2]
// stdout: v = &box, l = 65541, x = &some::l + 1, by = (char *)&some::l + 2, none = NULL
// last: RESULT: FALSE(assert)
// run: palisade verify --64 --engine ic3-cfa -D CLAIM=1 $FILE
// exit: 0
// stdout: p == &buf[n]
// stdout: p <= &buf[10]
// stdout: last < &pool[i]
// stdout: last > last->next
// last: RESULT: TRUE
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
struct point {
  int x, y;
};
struct box {
  struct point a, b;
  int t[4];
} box;
struct node {
  int value;
  struct node *next;
} pool[20];

static int one(int v) { return v + 1; }
static int two(int v) { return v + 2; }

static void some(void) {
  int (*f)(int) = __VERIFIER_nondet_int() ? one : two;
  struct point *q = __VERIFIER_nondet_int() ? &box.b : &box.a;
  int m[3][4], *y = &q->y, *e = box.t + 4, *c = &m[1][2], (*row)[4] = &m[2];
  void *v = &box;
  long l = 5, *x = &l + 1;
  char *by = (char *)&l + 2, *none = 0;
  *by = 1;
  if (f(1) == 3 && y == &box.b.y && e && c && row && v && x && !none)
    assert(CLAIM);
}

int main(void) {
  char buf[10], *p = buf;
  int n = 0, i = 0;
  while (p < buf + 10) {
    *p++ = 1;
    n++;
  }
  assert(n == 10);
  struct node *last = 0;
  while (i < 20 && __VERIFIER_nondet_int()) {
    pool[i].next = last;
    last = &pool[i++];
  }
  assert(last == 0 || last->next != last);
  some();
  return 0;
}
