// Calls of the library in one expression: their order changes nothing.
// run: palisade verify $FILE
// exit: 0
// run: palisade verify --undefined arbitrary $FILE
// exit: 0
// run: palisade verify -D WRONG $FILE
// exit: 10
// run: palisade verify -D ZERO $FILE
// exit: 20
// stdout: undefined behaviour: a builtin that has no result for zero
// run: palisade verify -D ERROR $FILE
// exit: 20
// stdout: the order of evaluation
#include <ctype.h>
#include <stdlib.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
static int same(const char *a, const char *b) {
  while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b)) { a++; b++; }
  return !*a && !*b;
}
static int failing(int x) { if (x == 3) reach_error(); return 1; }
int main(void) {
  char first[4] = "aBc", second[4] = "AbC";
  second[2] = __VERIFIER_nondet_int();
  if (atoi("1") + atoi("2") * atoi("3") != 7) reach_error();
  unsigned x = __VERIFIER_nondet_int();
#ifdef ERROR
  if (__builtin_ctz(x) + failing(__VERIFIER_nondet_int()) == 99) return 1;
#else
#ifndef ZERO
  x |= 4;
#endif
  if (__builtin_ctz(x) + __builtin_ctz(8) + __builtin_clz(1) > 65) reach_error();
  if (second[2] > 0 && same(first, second)) {
    if (second[2] != 'C' && second[2] != 'c') reach_error();
#ifdef WRONG
    reach_error();
#endif
  }
#endif
  return 0;
}
