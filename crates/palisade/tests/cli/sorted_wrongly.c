// A violation behind `qsort` is found; one that needs an order of equal elements is open, and a comparison
// that counts its calls is not supported.
// run: palisade verify --timeout 300 $FILE
// exit: 10
// last: RESULT: FALSE(unreach-call)
// run: palisade verify --timeout 300 -D EQUAL $FILE
// exit: 20
// stdout: depends on which elements are compared, or the order of equal ones
// run: palisade verify --timeout 300 -D COUNT $FILE
// exit: 20
// stdout: a comparison that may change something
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
struct pair { int key, value; };
static int calls;
static int order(const void *a, const void *b) {
  int x = ((const struct pair *)a)->key, y = ((const struct pair *)b)->key;
#ifdef COUNT
  calls++;
#endif
  return x < y ? -1 : x > y;
}
int main(void) {
  struct pair a[2] = { { 2, 1 }, { __VERIFIER_nondet_int(), 2 } };
#ifdef EQUAL
  if (a[1].key != 2) return 0;
#endif
  qsort(a, 2, sizeof a[0], order);
  if (a[0].value == 2) reach_error();
  return 0;
}
