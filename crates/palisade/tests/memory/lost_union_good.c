// check: memory,leaks
// expect: TRUE
#include <stdlib.h>
union { void *p; struct { char c[sizeof(void *)]; int n; } s; } u;
int main(void) {
  u.s.n = 3;
  u.p = malloc(4);
  u.s.n = 0;
  return 0;
}
