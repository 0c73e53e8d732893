// Pointers become integers and come back, and programs compute with the numbers: what is proved holds wherever
// the objects lie.
// run: palisade verify --64 $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade verify --32 --int bv $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade verify --64 --check memory $FILE
// exit: 0
// last: RESULT: TRUE
// Where numbers are only moved, a violation does not depend on them.
// run: palisade verify --64 -D MOVED -D WRONG $FILE
// exit: 10
// last: RESULT: FALSE(assert)
// run: palisade verify --64 -D MOVED $FILE
// exit: 0
// last: RESULT: TRUE
// Nobody knows how two objects lie to each other, where an object of single bytes begins, or what is behind
// an object.
// run: palisade verify --64 -D OPEN='(uintptr_t)&left<right' $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on an address as a number)
// run: palisade verify --64 -D OPEN='(uintptr_t)&left+4!=right' $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on an address as a number)
// run: palisade verify --64 -D OPEN='(uintptr_t)pool%8==0' $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on an address as a number)
// run: palisade verify --64 -D OPEN='(uintptr_t)&loose%4==0' $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on an address as a number)
// run: palisade verify --64 -D OPEN='initial!=4096' $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on an address as a number)
// run: palisade verify --64 -D OPEN='*(int*)(right+4)==0' $FILE
// exit: 20
// stdout: undefined behaviour: access outside an object
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#ifdef OPEN
typedef int anywhere __attribute__((aligned(1)));
anywhere loose;
#endif
struct node {
  char kind;
  int value;
  short weight;
};
static struct node first, second;
static int left, table[4];
static char pool[64];
static uintptr_t initial = (uintptr_t)&left;

static struct node *untagged(uintptr_t t) { return (struct node *)(t & ~(uintptr_t)3); }

int main(void) {
  int own = 1;
  uintptr_t right = (uintptr_t)&own;
#if defined OPEN
  assert(OPEN);
#elif defined MOVED
  uintptr_t tagged = (uintptr_t)&first | 2;
  untagged(tagged)->value = 5;
  *(int *)right = 2;
#ifdef WRONG
  assert(first.value + own == 8);
#else
  assert(first.value + own == 7);
#endif
#else
  // Back and forth, with marks in the low bits.
  *(int *)initial = 3;
  *(int *)right = 4;
  assert(left == 3 && own == 4);
  uintptr_t tagged = (uintptr_t)&second | 3;
  untagged(tagged)->value = (int)(tagged & 3);
  assert(second.value == 3 && first.value == 0);
  // From a member to its struct.
  struct node *around = (struct node *)((uintptr_t)&first.weight - offsetof(struct node, weight));
  around->kind = 'x';
  assert(first.kind == 'x' && second.kind == 0);
  // Alignment, distances, order inside an object.
  assert(((uintptr_t)&table[1] & 3) == 0);
  assert((uintptr_t)(table + 4) - (uintptr_t)table == sizeof table);
  assert((uintptr_t)&left != right && initial != 0);
  assert(initial + sizeof left <= right || right + sizeof own <= initial);
  // The first aligned place of a pool.
  uintptr_t start = ((uintptr_t)pool + 7) & ~(uintptr_t)7;
  char *p = (char *)start;
  p[0] = 1;
  p[31] = 2;
  assert(start % 8 == 0 && p >= pool && p + 32 <= pool + sizeof pool);
#endif
  return 0;
}
