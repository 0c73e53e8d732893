// check: memory
// expect: FALSE(valid-deref)
#include <stdlib.h>
#include <string.h>
struct node { void **block; };
static void *zeroed(unsigned long n) {
  void *p = malloc(n);
  return memset(p, 0, n + 8);
}
int main(void) {
  struct node x;
  x.block = zeroed(119);
  free(x.block);
  return 0;
}
