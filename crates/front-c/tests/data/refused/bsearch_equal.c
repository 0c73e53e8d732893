// C leaves open which of the equal elements is found.
#include <stdlib.h>
static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void) {
  int a[3] = { 2, 2, 2 }, k = 2;
  if (bsearch(&k, a, 3, sizeof *a, order) == a + 1) reach_error();
  return 0;
}
