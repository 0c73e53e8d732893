// What compilers disagree about in `cleanup`, `constructor` and `destructor` is refused.
// run: palisade verify -D CASE=1 $FILE
// exit: 20
// stdout: a computed goto in a function with attribute `cleanup`
// run: palisade verify -D CASE=2 $FILE
// exit: 3
// stderr: declarations that differ in when the function runs
// run: palisade verify -D CASE=3 $FILE
// exit: 10
// run: palisade verify -D CASE=4 $FILE
// exit: 0
// run: palisade verify --check memory -D CASE=4 $FILE
// exit: 0
#include <stdlib.h>
extern void reach_error(void);
int x;
void add(int *p) { x = x * 10 + *p; }
void follow(int **p) { x = **p; }

#if CASE == 2
void second(void);
__attribute__((constructor)) void first(void) { x = 1; }
__attribute__((constructor(101))) void second(void) { x = 2; }
#endif
#if CASE == 3
void handler(void) { reach_error(); }
__attribute__((destructor)) void last(void) { atexit(handler); }
#endif

int main(void) {
#if CASE == 1
  void *to = &&out;
  {
    __attribute__((cleanup(add))) int v = 3;
    goto *to;
  }
out:
  if (x == 0) reach_error();
#elif CASE == 4
  // What is declared behind the variable lives as long as the block.
  {
    __attribute__((cleanup(follow))) int *p = 0;
    int node = 4;
    p = &node;
  }
  if (x != 4) reach_error();
#endif
  return 0;
}
