// check: memory --int bv
// expect: TRUE
// sanitizers: blind, they report the allocation itself
// No machine has such a block: there is no run in which its first byte is outside of it.
#include <stdlib.h>

int main(void) {
  int n = -1;
  char *p = malloc(n);
  if (p) p[0] = 1;
  free(p);
  return 0;
}
