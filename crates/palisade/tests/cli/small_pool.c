// A pool of four elements: the engines see each as a variable, the invariant is about the array.
// run: palisade verify --engine ic3-cfa --timeout 20 $FILE
// exit: 0
// stdout: r.data[
// last: RESULT: TRUE
// run: palisade verify --engine ic3-cfa --timeout 20 -D LEAST=1 $FILE
// exit: 10
// last: RESULT: FALSE(assert)
#include <assert.h>
#ifndef LEAST
#define LEAST 0
#endif
extern int __VERIFIER_nondet_int(void);
static struct { int data[4]; unsigned head, count; } r;
int main(void) {
  while (__VERIFIER_nondet_int()) {
    if (__VERIFIER_nondet_int()) {
      int v = __VERIFIER_nondet_int();
      if (v >= 0 && r.count < 4) r.data[(r.head + r.count++) % 4] = v;
    } else if (r.count > 0) {
      assert(r.data[r.head] >= LEAST);
      r.head = (r.head + 1) % 4;
      r.count--;
    }
  }
  return 0;
}
