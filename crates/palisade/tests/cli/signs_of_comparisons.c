// Of the result of a comparison only the sign is known, also of two with equal arguments: compilers compute
// some of them.
// run: palisade verify $FILE
// exit: 0
// run: palisade verify -D WRONG $FILE
// exit: 10
#include <string.h>
extern void reach_error(void);
int main(void) {
  char x[] = "a";
#ifdef WRONG
  if (strcmp("a", "c") != strcmp(x, "c")) reach_error();
#else
  if (strcmp("a", "c") >= 0 || strcmp(x, "c") >= 0 || strcmp("c", x) <= 0) reach_error();
  if (strcmp(x, "a") != 0 || memcmp(x, "ab", 1) != 0 || strncmp("ab", x, 2) <= 0) reach_error();
#endif
  return 0;
}
