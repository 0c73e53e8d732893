// check: memory,leaks
// expect: UNKNOWN(unsupported: `zeroed::block1` used through a pointer to another type
#include <stdlib.h>
#include <string.h>
struct node { void **block; };
static void *zeroed(unsigned long n) {
  void *p = malloc(n);
  return memset(p, 0, n);
}
int main(void) {
  struct node x;
  x.block = zeroed(119);
  if (x.block[13]) return 1;
  free(x.block);
  return 0;
}
