// run: palisade verify --engine values $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade verify --engine values --int bv $FILE
// exit: 0
// last: RESULT: TRUE
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

// The cells of `sum` are not initialised, and an input lies beside what is known.
int main(void) {
  int a[3] = {1, 2, 3}, b[3] = {4, 5, 6}, sum[3];
  int other = __VERIFIER_nondet_int();
  for (int i = 0; i < 3; i++) {
    if (other > i)
      sum[i] = a[i] + b[i];
    else
      sum[i] = b[i] + a[i];
  }
  assert(sum[0] == 5 && sum[1] == 7 && sum[2] == 9);
  return other > 0;
}
