// Of `isspace` only the truth matters here, so that the program has no inputs; of `isdigit` the value does.
// run: palisade verify --timeout 20 $FILE
// exit: 0
// run: palisade verify --timeout 20 -D WRONG $FILE
// exit: 10
// run: palisade verify -D VALUE $FILE
// exit: 10
// run: palisade verify -D NONZERO $FILE
// exit: 0
// run: palisade verify -D SHORT $FILE
// exit: 10
// run: palisade verify -D EITHER $FILE
// exit: 0
#include <ctype.h>
#include <string.h>
extern void reach_error(void);
int main(void) {
#ifdef VALUE
  int value = isdigit('3');
  if (value != 1) reach_error();
#elif defined NONZERO
  int value = isdigit('3');
  if (!value || isdigit('3') - value || isdigit('x')) reach_error();
#elif defined SHORT
  // The condition is the value, too.
  unsigned char value = isalpha('a') ?: 5;
  if (value == 0) reach_error();
#elif defined EITHER
  if (!(isalpha('a') ?: 0)) reach_error();
#else
  char text[] = "  key=val  ", *s = text;
  while (isspace((unsigned char)*s)) s++;
  char *end = s + strlen(s);
  while (end > s && isspace((unsigned char)end[-1]) != 0) *--end = 0;
#ifdef WRONG
  if (!isspace(*s) && strlen(s) == 7) reach_error();
#else
  if (strlen(s) != 7 || (isalpha(s[0]) ? 0 : 1)) reach_error();
#endif
#endif
  return 0;
}
