// Members and elements whose addresses are computed as numbers, as CIL writes them.
// run: palisade verify --undefined arbitrary $FILE
// exit: 0
// run: palisade verify --undefined arbitrary --64 $FILE
// exit: 0
// run: palisade verify --undefined arbitrary --slice on $FILE
// exit: 0
// run: palisade verify --undefined arbitrary --64 -D WRONG $FILE
// exit: 10
// run: palisade verify --undefined arbitrary --timeout 20 -D WRONG $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on an address as a number)
// run: palisade verify --undefined arbitrary --timeout 20 -D CHANGED $FILE
// exit: 20
// run: palisade verify --undefined arbitrary --timeout 20 -D BY_POINTER $FILE
// exit: 20
// run: palisade verify --undefined arbitrary --timeout 20 -D BY_CALL $FILE
// exit: 20
// run: palisade verify --undefined arbitrary --timeout 20 -D BEHIND $FILE
// exit: 20
#include <stddef.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
typedef unsigned long word;
struct inner {
  char tag;
  int values[4];
};
struct outer {
  struct outer *next;
  struct inner first, second;
  short last;
};
static struct outer one, two, all[3];
static struct outer *at = &one;
static void other(void) { at = &two; }
int main(void) {
  struct outer *p = &one;
  word t, u, v, s;
  int i = __VERIFIER_nondet_int();
  if (i < 0 || i > 2) return 0;
  t = (word)p;
  u = t + offsetof(struct outer, second.values);
  *((int *)u) = 5;
  s = (word)i * sizeof(int);
  v = offsetof(struct outer, second.values) + s;
  u = t + v;
  *((int *)u + 1) = 6;
  u = (word)all + 2 * sizeof(struct outer);
  v = u + offsetof(struct outer, last);
  *((short *)v) = 7;
  // Back from a member to the struct.
  u = (word)&one.second;
  t = u - offsetof(struct outer, second);
  ((struct outer *)t)->last = 8;
#if defined CHANGED
  t = (word)p;
  p = &two;
  u = t + offsetof(struct outer, last);
  *(short *)u = 9;
  if (two.last == 0) reach_error();
#elif defined BY_POINTER
  struct outer **q = &p;
  t = (word)p;
  *q = &two;
  u = t + offsetof(struct outer, last);
  *(short *)u = 9;
  if (two.last == 0 && one.last == 9) reach_error();
#elif defined BY_CALL
  t = (word)at;
  other();
  u = t + offsetof(struct outer, last);
  *(short *)u = 9;
  if (two.last == 0 && one.last == 9) reach_error();
#elif defined BEHIND
  t = (word)p;
  u = t + sizeof(struct outer) + 4;
  *(int *)u = 3;
  if (*(int *)u == 3) reach_error();
#elif defined WRONG
  if (one.second.values[i + 1] == 6 && all[2].last == 7) reach_error();
#else
  if (one.second.values[i + 1] != 6 || all[2].last != 7) reach_error();
  if (one.second.values[0] != 5 || one.last != 8 || one.first.values[i] != 0) reach_error();
#endif
  return 0;
}
