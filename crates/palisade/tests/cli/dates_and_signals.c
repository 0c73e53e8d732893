// Dates are any; handlers of signals only write what may change at any time anyway.
// run: palisade verify $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade verify -D WRONG=1 $FILE
// exit: 20
// stdout: what the library knows of earlier calls
// run: palisade verify -D WRONG=2 $FILE
// exit: 10
// run: palisade verify -D STOP $FILE
// exit: 20
// stdout: depends on a `volatile` object that changes by itself
// run: palisade verify -D HANDLER $FILE
// exit: 20
// stdout: a handler of signals that does more than write `volatile` variables
// run: palisade verify -D RAISE $FILE
// exit: 20
// stdout: call of `raise`
#include <assert.h>
#include <signal.h>
#include <time.h>
#ifndef WRONG
#define WRONG 0
#endif
static volatile sig_atomic_t stop;
static int count;
static void on(int s) { stop = s; }
static void counts(int s) { count++; }

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  if (signal(SIGINT, on) == SIG_ERR) return 1;
  assert(count == (WRONG == 2));
#ifdef STOP
  assert(stop == 0);
#elif defined HANDLER
  signal(SIGTERM, counts);
#elif defined RAISE
  raise(SIGTERM);
#endif
  while (!stop) {
    break;
  }
  time_t now = time(NULL);
  struct tm *t = localtime(&now), own;
  if (t) {
    assert(t->tm_mon >= 0 && t->tm_mon < 12 && t->tm_mday >= 1 && t->tm_mday <= 31 && t->tm_wday < 7);
    if (WRONG == 1) assert(t->tm_mon != 5);
  }
  t = gmtime_r(&now, &own);
  assert(!t || (t == &own && own.tm_sec <= 60 && own.tm_hour <= 23));
  own.tm_mday = 40;
  if (t && mktime(&own) != -1) assert(own.tm_mday <= 31);
  return 0;
}
