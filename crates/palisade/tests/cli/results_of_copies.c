// `memset`, `memcpy` and `bsearch` return the address that they were given, as a `void *`.
// run: palisade verify $FILE
// exit: 0
// run: palisade verify --64 --int bv $FILE
// exit: 0
// run: palisade verify -D WRONG $FILE
// exit: 10
// run: palisade verify -D OWN --check memory $FILE
// exit: 10
// stdout: RESULT: FALSE(valid-deref)
extern void reach_error(void);
#ifdef OWN
int *calloc(unsigned, unsigned);
int main(void) {
  int *q = calloc(8, sizeof(int)) + 4;
  q[5] = 1;
}
#else
#include <stdlib.h>
#include <string.h>
struct self { struct self *self; int x; };
static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void) {
  int a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8}, key = 3;
  int *q = bsearch(&key, a, 4, sizeof(int), order) + sizeof(int);
  if (q != a + 3 || sizeof *memcpy(a, b, 8) != 1) reach_error();
  q = memcpy(a, b, 8) + 8;
  struct self s, other = {0, 5};
  s.self = &s;
  void *r = memset(s.self, 0, sizeof s);
#ifdef WRONG
  if (q == a + 2 && r == &s) reach_error();
#else
  if (q != a + 2 || r != &s) reach_error();
  s.self = &s;
  if (memcpy(s.self, &other, sizeof s) != &s || s.x != 5) reach_error();
  int i[4] = {0, 1, 2, 3};
  q = memset(&i[i[1]], 0, 3 * sizeof(int));
  if (q != i + 1 || i[3]) reach_error();
  void *x = &x;
  if (memset(*(void **)&x, 0, sizeof x) != (void *)&x) reach_error();
#endif
}
#endif
