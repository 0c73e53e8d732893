// What `qsort` sorts is sorted and a permutation.
// run: palisade verify --timeout 300 $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade verify --timeout 300 --check bounds $FILE
// exit: 0
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static int order(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return x < y ? -1 : x > y;
}
int main(void) {
  int a[3], x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(), z = __VERIFIER_nondet_int();
  a[0] = x; a[1] = y; a[2] = z;
  qsort(a, 3, sizeof a[0], order);
  if (a[0] > a[1] || a[1] > a[2]) reach_error();
  if (a[0] != x && a[0] != y && a[0] != z) reach_error();
  return 0;
}
