// A harness says what it cannot set.
// run: palisade verify --harness $TMP/h.c $FILE
// exit: 10
// stderr: the harness does not set `getchar`
// run: palisade verify --harness $TMP/h.c -D SET $FILE
// exit: 10
// run: palisade verify --harness $TMP/h.c -D UNSET $FILE
// exit: 10
// stderr: the harness does not set `x`
#include <stdio.h>
#include <stdlib.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
#ifdef SET
  int *p = malloc(4 * sizeof *p);
  if (p[2] == 7 && p[0] == __VERIFIER_nondet_int()) reach_error();
#elif defined UNSET
  int x;
  if (x == 7) reach_error();
#else
  if (getchar() == 'a') reach_error();
#endif
  return 0;
}
