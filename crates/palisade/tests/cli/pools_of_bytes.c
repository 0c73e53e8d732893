// Structs with pointers in memory that the program gives out itself, from an array of bytes.
// run: palisade verify $FILE
// exit: 0
// run: palisade verify --64 $FILE
// exit: 0
// run: palisade verify -D WRONG $FILE
// exit: 10
// run: palisade verify -D PARTS $FILE
// exit: 20
// stdout: a pointer in `memory` made of other bytes
// run: palisade verify -D NUMBER $FILE
// exit: 20
// stdout: the number of a byte that a pointer has
// run: palisade verify -D STALE --check memory $FILE
// exit: 10
// stdout: RESULT: FALSE(valid-deref)
#include <stddef.h>
#include <stdlib.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
struct task { struct task *next; int priority; };
static unsigned char memory[4 * sizeof(struct task)];
static size_t used;
static struct task *create(int priority) {
  if (used + sizeof(struct task) > sizeof memory) return NULL;
  struct task *t = (struct task *)(memory + used);
  used += sizeof *t;
  t->next = NULL;
  t->priority = priority;
  return t;
}
static struct task *insert(struct task *list, struct task *t) {
  struct task **at = &list;
  while (*at && (*at)->priority >= t->priority) at = &(*at)->next;
  t->next = *at;
  *at = t;
  return list;
}
int main(void) {
  struct task *a = create(2), *b = create(__VERIFIER_nondet_int());
  if (!a || !b) reach_error();
  struct task *list = insert(a, b);
  if (list->next && list->priority < list->next->priority) reach_error();
#ifdef WRONG
  if (list == b) reach_error();
#elif defined PARTS
  b->next = a;
  ((unsigned char *)&b->next)[1] = 1;
  if (b->next) return 1;
#elif defined NUMBER
  b->next = a;
  if (memory[sizeof *a + 1] == 7) return 1;
#elif defined STALE
  int *p = malloc(sizeof *p);
  if (!p) return 1;
  *(int **)memory = p;
  free(p);
  return **(int **)memory;
#endif
  return 0;
}
