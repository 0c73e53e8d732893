// run: palisade verify --certificate $TMP/proof $FILE
// exit: 0
// stdout: for all k:
// last: RESULT: TRUE
// run: palisade check $FILE $TMP/proof
// exit: 0
// run: palisade verify -D WRONG --timeout 20 $FILE
// exit: 10
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

// What holds of a copy holds of all its cells.
int main(void) {
  int from[1000], to[1000];
  int n = __VERIFIER_nondet_int();
  if (n > 1000)
    return 0;
  for (int i = 0; i < n; i++)
    from[i] = __VERIFIER_nondet_int();
  for (int i = 0; i < n; i++) {
    to[i] = from[i];
#ifdef WRONG
    if (i == 3)
      to[i] = 7;
#endif
  }
  for (int i = 0; i < n; i++)
    assert(to[i] == from[i]);
  return 0;
}
