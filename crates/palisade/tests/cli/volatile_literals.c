// run: palisade verify --64 $FILE
// exit: 20
// stdout: depends on a `volatile` object that changes by itself
// run: palisade verify --64 -D MEMBER $FILE
// exit: 20
// stdout: depends on a `volatile` object that changes by itself
// run: palisade verify --64 -D GLOBAL $FILE
// exit: 20
// stdout: depends on a `volatile` object that changes by itself
// run: palisade verify --64 -D POINTER $FILE
// exit: 0
#include <assert.h>

// An object without a name may be volatile, too.
struct pair {
  int x, y;
};
volatile int *known = &(volatile int){5};

int main(void) {
#if defined MEMBER
  struct pair volatile *p = &(volatile struct pair){1, 2};
  int a = p->y, b = p->y;
#elif defined GLOBAL
  int a = *known, b = *known;
#elif defined POINTER
  // The pointer itself is not.
  volatile int x = 3;
  volatile int **p = &(volatile int *){&x};
  volatile int *a = *p, *b = *p;
#else
  volatile int *p = &(volatile int){5};
  int a = *p, b = *p;
#endif
  assert(a == b);
  return 0;
}
