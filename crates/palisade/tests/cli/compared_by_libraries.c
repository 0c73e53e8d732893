// C leaves open which elements `qsort` compares: what a comparison does wrong with two of them is found,
// even if an insertion sort does not compare them. Output functions of gcc are those of the library.
// run: palisade verify --64 --check overflow $FILE
// exit: 20
// stdout: depends on which elements are compared
// run: palisade verify --64 --check overflow -D RIGHT $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade verify --64 -D OUTPUT $FILE
// exit: 20
// stdout: `printf` with `%n`
#include <limits.h>
#include <stdlib.h>
static int order(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
#ifdef RIGHT
  return x < y ? -1 : x > y;
#else
  return x - y;
#endif
}
int main(void) {
  int a[4] = { INT_MIN, 0, 1, 2 };
  qsort(a, 4, sizeof a[0], order);
#ifdef OUTPUT
  __builtin_printf("ab%n", a);
#endif
  return 0;
}
