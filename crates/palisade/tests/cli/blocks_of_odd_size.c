// A block whose size is no multiple of its type's, or smaller, where an undefined access gives any value: what
// lies behind the last whole element is not kept. So nothing is proved about it, and a violation is open.
// run: palisade verify --undefined arbitrary $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade verify --undefined arbitrary -D KEPT $FILE
// exit: 10
// last: RESULT: FALSE(unreach-call)
// run: palisade verify --undefined arbitrary -D BEHIND $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on a block whose size is no multiple of its type's)
// run: palisade verify --undefined arbitrary -D SHORT $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on a block whose size is no multiple of its type's)
// run: palisade verify -D BEHIND $FILE
// exit: 20
#include <stdlib.h>
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
struct item {
  int first;
  int *where;
  int last;
};
int main(void) {
  unsigned more = __VERIFIER_nondet_uint();
  if (more > 2) return 0;
  int other = 7;
#if defined KEPT
  // Whole ones are kept as ever.
  struct item *p = malloc(2 * sizeof(struct item));
  p[1].last = 3;
  if (p[1].last == 3) reach_error();
#elif defined BEHIND
  struct item *p = malloc(sizeof(struct item) + 4 + more);
  p[1].first = 3;
  if (p[1].first == 3) reach_error();
#elif defined SHORT
  struct item *p = malloc(4 + more);
  p->first = 3;
  if (p->first == 3) reach_error();
#else
  struct item *p = malloc(sizeof(struct item) + 4 + more), *q = malloc(4 + more);
  p->first = 1;
  q->first = 2;
  if (p == q || other != 7) reach_error();
#endif
  return 0;
}
