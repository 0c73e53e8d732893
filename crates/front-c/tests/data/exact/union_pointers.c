// The pointers of a union are one pointer, whatever they point to.
#include <stddef.h>
union any { int n; void *p; const void *c; char *s; int *i; void (*f)(void); };
struct stream { union any state; int left; };
static int a[3] = {1, 2, 3};
static const char *const text = "xyz";
static struct stream of(const int *from, int n) {
  union { void *state; const void *c_state; } u;
  struct stream s;
  u.c_state = from;
  s.state.p = u.state;
  s.left = n;
  return s;
}
static int calls;
static void call(void) { calls++; }
int main(void) {
  struct stream s = of(a, 3);
  CHECK(*(int *)s.state.p == 1);
  CHECK(s.state.i[2] == 3);
  s.state.i++;
  CHECK(*(const int *)s.state.c == 2);
  CHECK(s.state.c == &a[1]);
  union any t = {.c = text};
  CHECK(t.s[1] == 'y');
  union any *u = &t;
  u->i = &a[2];
  *(int *)u->p = 7;
  CHECK(a[2] == 7);
  t.f = call;
  u->f();
  CHECK(calls == 1);
  int **q = &t.i;
  *q = a;
  CHECK(t.p == a);
  t = s.state;
  CHECK(t.i == &a[1]);
  t.i = NULL;
  CHECK(t.p == 0);
  return __VERIFIER_nondet_end();
}
