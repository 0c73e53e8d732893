// Functions that run before and after `main`, by priority and in the order of their definitions.
// run: palisade verify $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade verify -D WRONG=1 $FILE
// exit: 10
// run: palisade verify -D WRONG=2 $FILE
// exit: 10
// run: palisade verify -D WRONG=3 $FILE
// exit: 10
// run: palisade verify -D WRONG=4 $FILE
// exit: 10
// run: palisade verify -D EARLY $FILE
// exit: 0
// run: palisade verify -D EARLY -D WRONG=5 $FILE
// exit: 10
// run: palisade verify -D PARAMETERS $FILE
// exit: 3
// stderr: a function with parameters that runs before or after `main`
// run: palisade verify -D AGAIN $FILE
// exit: 20
// stdout: a call of `main` in a program with
// run: palisade verify --function other $FILE
// exit: 3
// stderr: with another entry function
#include <assert.h>
#include <stdlib.h>
#ifndef WRONG
#define WRONG 0
#endif
extern int __VERIFIER_nondet_int(void);
static int log;

static void second(void) __attribute__((constructor(200)));
__attribute__((constructor)) static void third(void) { log = log * 10 + 3; }
__attribute__((constructor(101))) static int first(void) { return log = log * 10 + 1; }
static void second(void) { log = log * 10 + 2; }
__attribute__((constructor)) static void fourth(void) {
  log = log * 10 + 4;
#ifdef EARLY
  exit(0);
#endif
}
static void never(void) __attribute__((constructor));

static void at_exit(void) {
  assert(log == 5);
  log = 6;
}
__attribute__((destructor(101))) static void last(void) {
#ifdef EARLY
  assert(log == 1238 + (WRONG == 5));
#else
  assert(log == 8 + (WRONG == 1));
#endif
}
__attribute__((destructor)) static void after_that(void) {
#ifndef EARLY
  assert(log == 7 + (WRONG == 2));
  log = 8;
#else
  log = log - log % 10 + 8;
#endif
}
__attribute__((destructor)) static void at_once(void) {
#ifndef EARLY
  assert(log == 6 + (WRONG == 3));
  log = 7;
#endif
}
#ifdef PARAMETERS
__attribute__((constructor)) static void asks(int argc, char **argv) { log = argc; }
#endif
int other(void) { return 0; }

int main(void) {
  assert(log == 1234 + (WRONG == 4));
#ifdef AGAIN
  if (log == 1234) main();
#endif
  log = 5;
  atexit(at_exit);
  if (__VERIFIER_nondet_int()) exit(1);
  if (__VERIFIER_nondet_int()) abort();
  return 0;
}
