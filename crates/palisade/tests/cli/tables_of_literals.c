// Pointers into the strings of a table: only those that may share bytes cannot be compared.
// run: palisade verify $FILE
// exit: 0
// run: palisade verify -D WRONG $FILE
// exit: 10
// run: palisade verify -D SHARED $FILE
// exit: 20
// stdout: comparison of two literals
#include <stdlib.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
#ifdef SHARED
  const char *text[] = { "12", "2", "7y" };
  if (text[0] + 1 == text[1 + (__VERIFIER_nondet_int() != 0)]) reach_error();
#else
  const char *text[] = { "12", "x", "7y" };
  int good = 0;
  for (int i = 0; i < 3; i++) {
    char *end;
    long value = strtol(text[i], &end, 10);
    if (end == text[i] || *end) continue;
    good += value;
  }
#ifdef WRONG
  if (good == 12) reach_error();
#endif
  if (good != 12) reach_error();
#endif
  return 0;
}
