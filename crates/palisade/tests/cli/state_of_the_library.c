// Functions without body may call the library too: what it keeps may be something else afterwards.
// run: palisade verify $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on what a function without body may have changed)
// run: palisade verify -D ENVIRONMENT $FILE
// exit: 20
// run: palisade verify -D TOKENS $FILE
// exit: 20
// run: palisade verify -D ROUNDING --int bv $FILE
// exit: 20
// run: palisade verify -D USER $FILE
// exit: 20
// run: palisade verify -D DATE $FILE
// exit: 20
// run: palisade verify -D KNOWN $FILE
// exit: 0
// run: palisade verify --undefined arbitrary $FILE
// exit: 0
// run: palisade verify --undefined arbitrary -D ENVIRONMENT $FILE
// exit: 0
// run: palisade verify --undefined arbitrary -D USER $FILE
// exit: 0
#include <fcntl.h>
#include <fenv.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
extern void reach_error(void);
extern void other(void);
#define HOLDS(c) do { if (!(c)) reach_error(); } while (0)

int main(void) {
#ifdef ENVIRONMENT
  char *a = getenv("x");
  other();
  char *b = getenv("x");
  HOLDS((a == 0) == (b == 0));
#elif defined TOKENS
  char s[] = "a b";
  strtok(s, " ");
  other();
  HOLDS(strtok(0, " ") != 0);
#elif defined ROUNDING
  fesetround(FE_TONEAREST);
  other();
  HOLDS(fegetround() == FE_TONEAREST);
#elif defined USER
  uid_t a = geteuid();
  other();
  HOLDS(a == geteuid());
#elif defined DATE
  time_t t = 0;
  struct tm *date = gmtime(&t);
  if (date == 0) return 0;
  int day = date->tm_mday;
  other();
  HOLDS(day == date->tm_mday);
#elif defined KNOWN
  other();
  int a = open("a", O_RDONLY), b = open("b", O_RDONLY);
  HOLDS(a < 0 || a != b);
  char *x = getenv("x"), *y = getenv("x");
  HOLDS((x == 0) == (y == 0));
  HOLDS(geteuid() == geteuid());
  char s[] = "a b";
  HOLDS(strtok(s, " ") == s && strtok(0, " ") == s + 2);
#else
  int a = open("a", O_RDONLY);
  other();
  int b = open("b", O_RDONLY);
  HOLDS(a < 0 || a != b);
#endif
  return 0;
}
