// A function that fails leaves its object alone, and says so in `errno` where C asks for it.
// run: palisade verify -D CASE=1 $FILE
// exit: 20
// run: palisade verify -D CASE=2 $FILE
// exit: 0
// run: palisade verify -D CASE=3 $FILE
// exit: 20
// stdout: beside `ctime`
// run: palisade verify -D CASE=4 --check div-by-zero $FILE
// exit: 20
// stdout: a handler of signals
// run: palisade verify -D CASE=5 $FILE
// exit: 0
// run: palisade verify -D CASE=6 $FILE
// exit: 20
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <time.h>
extern void reach_error(void);

volatile int k;
void handler(int s) { k = 1 / (s - s); }

int main(void) {
#if CASE == 1
  struct tm t = {0};
  t.tm_year = t.tm_mon = INT_MAX;
  mktime(&t);
  if (t.tm_mon > 11) reach_error();
#elif CASE == 2
  time_t x = 0;
  struct tm *t = gmtime(&x);
  if (t && t->tm_mon > 11) reach_error();
#elif CASE == 3
  time_t x = 0, y = 1;
  struct tm *t = gmtime(&x);
  if (!t) return 0;
  int month = t->tm_mon;
  ctime(&y);
  if (t->tm_mon != month) reach_error();
#elif CASE == 4
  signal(SIGALRM, handler);
#elif CASE == 5
  errno = 0;
  if (signal(9999, SIG_IGN) == SIG_ERR && errno == 0) reach_error();
#elif CASE == 6
  errno = 0;
  log(-1.0);
  if (errno == 0) reach_error();
#endif
  return 0;
}
