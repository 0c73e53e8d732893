// Each annotation of a loop or a function is a claim of its own, told by what it says.
// run: palisade verify --all --cache none $FILE
// exit: 10
// stdout: TRUE     $FILE:26:10: annotation in main: i <= n
// stdout: TRUE     $FILE:26:10#2: annotation in main: s == 2 * i
// stdout: FALSE    $FILE:26:10#3: annotation in main: s >= 1
// stdout: annotation in main: x > 0
// stdout: annotation in main: \result > x
// stdout: annotation in main: \result > 1
// stdout: 8 claims: 7 TRUE, 1 FALSE, 0 UNKNOWN
// run: palisade verify $FILE
// exit: 10
// stdout: s >= 1 does not hold
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
//@ requires x > 0;
//@ ensures \result > x;
//@ ensures \result > 1;
int next(int x) { return x + 1; }
int main(void) {
  int n = __VERIFIER_nondet_int(), i = 0, s = 0;
  if (n < 0 || n > 1000) return 0;
  //@ loop invariant i <= n;
  //@ loop invariant s == 2 * i;
  //@ loop invariant s >= 1;
  while (i < n) { i++; s += 2; }
  assert(s == 2 * n);
  assert(next(3) == 4);
  return 0;
}
