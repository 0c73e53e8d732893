/* Copies within one object whose parts do not overlap, and between objects that pointers choose. */
#include <string.h>

struct both { char left[4], right[4]; int n[4]; };

static void put(int *to, const int *from) { memcpy(to, from, 2 * sizeof *to); }

int main(void) {
  char a[8] = "abc";
  memcpy(a + 4, a, 4);
  CHECK(a[4] == 'a' && a[6] == 'c')
  memcpy(a, a, 4);
  strcpy(a + 2, a + 5);
  CHECK(a[2] == 'b' && a[4] == 0)
  struct both b = {"xy", "z", {1, 2, 3, 4}};
  strcpy(b.left, b.right);
  CHECK(b.left[0] == 'z' && b.left[1] == 0)
  memcpy(b.n + 2, b.n, 2 * sizeof *b.n);
  CHECK(b.n[2] == 1 && b.n[3] == 2)
  int c[2] = {7, 8};
  put(b.n, c);
  put(c, b.n + 2);
  CHECK(b.n[1] == 8 && c[0] == 1)
  strncat(a, "de", 1);
  CHECK(a[4] == 'd' && a[5] == 0)
  return __VERIFIER_nondet_end();
}
