// Indices of 64 bits do not lead around the address space, where addresses are words.
// run: palisade verify --64 --int bv --check memory --timeout 20 -D WAY=1 $FILE
// exit: 10
// last: RESULT: FALSE(valid-deref)
// run: palisade verify --64 --int bv --check memory --timeout 20 -D WAY=2 $FILE
// exit: 10
// last: RESULT: FALSE(valid-deref)
// run: palisade verify --64 --int bv --check memory --timeout 20 -D WAY=3 $FILE
// exit: 10
// last: RESULT: FALSE(valid-deref)
// run: palisade verify --64 --int bv --check memory --timeout 20 -D WAY=4 $FILE
// exit: 10
// last: RESULT: FALSE(valid-deref)
// run: palisade verify --64 --int bv --check memory --timeout 20 -D WAY=5 $FILE
// exit: 10
// last: RESULT: FALSE(valid-deref)
// run: palisade verify --64 --int bv --check memory --timeout 20 -D WAY=6 $FILE
// exit: 10
// last: RESULT: FALSE(valid-deref)
// run: palisade verify --64 --int bv --check memory --timeout 20 -D WAY=7 $FILE
// exit: 10
// last: RESULT: FALSE(valid-deref)
// run: palisade verify --64 --int bv --check memory --timeout 20 -D WAY=8 $FILE
// exit: 10
// last: RESULT: FALSE(valid-deref)
// run: palisade verify --64 --int bv --check memory --timeout 20 -D WAY=9 $FILE
// exit: 10
// last: RESULT: FALSE(valid-deref)
// run: palisade verify --64 --int bv --check memory --timeout 20 -D WAY=10 $FILE
// exit: 20
// stdout: an index of more than 64 bits
// run: palisade verify --64 --int bv --timeout 20 -D WAY=1 $FILE
// exit: 20
// stdout: undefined behaviour: access outside an object
// run: palisade verify --64 --int bv --check memory --timeout 20 -D WAY=0 $FILE
// exit: 0
#include <stdint.h>
#include <stdlib.h>

extern size_t nondet(void);
#define FAR ((1L << 62) + 1)

struct s { int a, b, c, d; } structs[4];
struct ends { int n; struct s e[]; };
int array[4], rows[4][4];

int main(void) {
#if WAY == 0
  size_t i = nondet();
  long k = (long)nondet();
  __int128 wide = (__int128)i;
  struct s *q = structs + 2;
  if (i < 4) array[i] = structs[i].a + array[wide] + (&structs[i])->d;
  if (k >= -2 && k < 2) q[k].b = (q + k)->c;
#elif WAY == 1 // an index is no negative number
  size_t i = nondet();
  if (i > SIZE_MAX - 9) array[i] = 1;
#elif WAY == 2
  size_t i = 0;
  i--;
  array[i] = 1;
#elif WAY == 3 // 16 * i is 16 as an address
  long i = (long)nondet();
  struct s *q = structs;
  if (i == FAR) q[i].a = 1;
#elif WAY == 4
  long i = (long)nondet();
  struct s *q = malloc(4 * sizeof *q);
  if (i == FAR) q[i].a = 1;
#elif WAY == 5
  long i = (long)nondet();
  struct s *q = &structs[i];
  if (i == FAR) q->a = 1;
#elif WAY == 6
  long i = (long)nondet();
  struct ends *f = malloc(sizeof *f + 4 * sizeof(struct s));
  if (i == FAR) f->e[i].a = 1;
#elif WAY == 7
  long i = (long)nondet();
  int *r = (int *)(unsigned char *)structs;
  if (i == FAR) r[i] = 1;
#elif WAY == 8
  long i = (long)nondet();
  int (*row)[4] = rows;
  if (i == FAR) row[i][1] = 1;
#elif WAY == 9 // C does not go back
  size_t i = nondet();
  int *p = array + 2;
  if (i == SIZE_MAX) p[i] = 1;
#elif WAY == 10
  __int128 i = nondet();
  i += (__int128)1 << 64;
  if (i == ((__int128)1 << 64) + 1) array[i] = 1;
#endif
  return 0;
}
