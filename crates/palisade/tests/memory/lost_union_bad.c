// check: leaks
// expect: FALSE(valid-memtrack)
#include <stdlib.h>
union { void *p; long n; } u;
int main(void) {
  u.p = malloc(4);
  u.n = 0;
  return 0;
}
