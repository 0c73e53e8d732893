// What the library answers with a text of its own may lie where an earlier one lay, or elsewhere.
// run: palisade verify $FILE
// exit: 0
// run: palisade verify --timeout 20 -D OVERWRITTEN $FILE
// exit: 20
// run: palisade verify --timeout 20 -D APART $FILE
// exit: 20
// run: palisade verify -D NO_PLAIN_CALL $FILE
// exit: 20
// stdout: `isdigit` that is no plain call
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
extern void reach_error(void);
int main(void) {
#if defined OVERWRITTEN
  time_t t = 0;
  char *p = ctime(&t);
  strerror(2);
  char *r = ctime(&t);
  if (p == r) reach_error();
#elif defined APART
  time_t t = 0;
  char *p = ctime(&t);
  char *r = ctime(&t);
  if (p != r) reach_error();
#elif defined NO_PLAIN_CALL
  if ((isdigit)('7') == 0) reach_error();
#else
  char b[2] = {1, 2};
  if (fwrite(b, 0, 5, stdout) != 0) reach_error();
#endif
}
