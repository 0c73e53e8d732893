// check: memory
// expect: TRUE
#include <alloca.h>
int f(void) { int *p = alloca(sizeof(int)); *p = 1; return *p; }
int main(void) {
  int s = 0;
  for (int i = 0; i < 3; i++) s += f();
  return s - 3;
}
