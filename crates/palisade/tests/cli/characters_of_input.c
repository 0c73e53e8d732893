// A character that `scanf` reads is none that the conversion before it would have read.
// run: palisade verify $FILE
// exit: 0
// run: palisade verify -D WRONG=1 $FILE
// exit: 10
// run: palisade verify -D WRONG=2 $FILE
// exit: 10
// run: palisade verify -D WRONG=3 $FILE
// exit: 10
// run: palisade verify -D WRONG=4 $FILE
// exit: 10
// run: palisade verify -D CALLS $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on what the library knows of earlier calls)
// run: palisade verify -D CALLS -D WRONG=5 $FILE
// exit: 10
#include <stdio.h>
#ifndef WRONG
#define WRONG 0
#endif
extern void reach_error(void);
int main(void) {
  char c, w[8];
  int n;
#ifdef CALLS
  if (scanf("%d", &n) == 1 && scanf("%c", &c) == 1 && c == (WRONG == 5 ? 'x' : '5')) reach_error();
#else
  if (scanf(" %c", &c) == 1 && (WRONG == 1 ? c == '7' : c == ' ')) reach_error();
  if (scanf("%d%c", &n, &c) == 2 && (WRONG == 2 ? c == 'a' : c == '5')) reach_error();
  if (scanf("%x%c", (unsigned *)&n, &c) == 2 && c == 'a') reach_error();
  if (scanf("%d %c", &n, &c) == 2 && c == '\n') reach_error();
  w[7] = 'z';
  if (scanf("%7s%c", w, &c) == 2 && c == 'a' && (WRONG == 3 || w[7] == 'z')) reach_error();
  if (scanf("%c%c", w, &c) == 2 && WRONG == 4 && c == 'a') reach_error();
#endif
  return 0;
}
