// `offsetof`, also by hand and as a constant.
#include <stddef.h>
#define OFF(t, m) ((unsigned long)&((t *)0)->m)
struct in { short x, y; };
struct s { char a; int b; struct in c[3]; union { long u; char v[8]; } d; };
enum { B = OFF(struct s, b), C = (int)OFF(struct s, c[1].y) };
int by_hand[OFF(struct s, c[1].y)];
static const unsigned long table[] = { OFF(struct s, b), offsetof(struct s, c[2].y), OFF(struct s, d.v[3]) };
_Static_assert((size_t)&((struct s *)0)->b == 4, "a constant");
static long at(int k) { switch (k) { case OFF(struct s, b): return 1; case OFF(struct s, c): return 2; } return 0; }
int main(void) {
  CHECK(B == 4 && C == 14 && sizeof by_hand == 14 * sizeof(int))
  CHECK(table[0] == 4 && table[1] == 18 && table[2] == offsetof(struct s, d) + 3)
  CHECK(__builtin_offsetof(struct s, c[2].y) == 18 && at(4) == 1 && at(8) == 2 && at(5) == 0)
  CHECK((char *)&((struct s *)0)->b - (char *)0 == 4 && (int *)&((struct s *)0)->c[1] - (int *)0 == 3)
  for (int i = 0; i < 2; i++) CHECK((size_t)&((struct s *)0)->b + i == 4u + i)
  CHECK((size_t)((struct s *)0 + 2) == 2 * sizeof(struct s) && (size_t)&((struct s *)16)->b == 20)
  CHECK(!(size_t)&((struct s *)0)->a)
  int k = 2, steps = 0;
  CHECK(offsetof(struct s, c[k].y) == 18 && offsetof(struct s, d.v[k + 1]) == offsetof(struct s, d) + 3)
  CHECK(offsetof(struct s, c[steps++].y) == 10 && steps == 1 && sizeof(char[offsetof(struct s, c[1])]) == 12)
  return __VERIFIER_nondet_end();
}
