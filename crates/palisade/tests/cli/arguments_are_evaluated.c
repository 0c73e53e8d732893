// The arguments of a call are evaluated, also where nobody knows what becomes of them: nothing is behind a
// division by zero or a function that ends the program.
// run: palisade verify -D CALL='ext(1/zero)' $FILE
// exit: 0
// stdout: assuming no division by zero
// run: palisade verify -D CALL='printf("%d",1/zero)' $FILE
// exit: 0
// stdout: assuming no division by zero
// run: palisade verify -D CALL='reach_error(quit())' $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade verify -D CALL='ext(*null)' $FILE
// exit: 20
// stdout: undefined behaviour: null dereference
// Also in a slice, and where the function has a body.
// run: palisade verify --undefined arbitrary --slice on -D CALL='own(1/zero)' $FILE
// exit: 0
// stdout: assuming no division by zero
// Arguments that are not looked at must not do anything.
// run: palisade verify -D CALL='kmalloc(4,own(changed=1))' $FILE
// exit: 20
// stdout: an argument of an allocation that does something
// run: palisade verify -D CALL='__VERIFIER_assert(1,own(changed=1))' $FILE
// exit: 20
// stdout: an argument of an assertion that does something
// Such a function can write to what it gets the address of in a union or in a number, if it gets that.
// run: palisade verify --64 -D CALL='ext(word.number)' -D ERROR='changed' $FILE
// exit: 20
// stdout: read of a union member that was not written last
// run: palisade verify --64 --undefined arbitrary --slice on -D CALL=GIVE -D ERROR='changed' $FILE
// exit: 20
// stdout: what a function without body may have changed
// run: palisade verify --64 --int c -D CALL='wide((double)(long)&changed)' -D ERROR='changed' $FILE
// exit: 20
// stdout: an address as a floating-point number
#include <stdio.h>
#include <stdlib.h>
extern void reach_error();
extern void ext(long), wide(double), __VERIFIER_assert();
extern void *kmalloc();
static int changed;
static union {
  int *pointer;
  long number;
} word = {&changed};

static int quit(void) { exit(0); }
static int own(int x) { return 0; }

#define GIVE number = (long)&changed, ext(number)
#ifndef ERROR
#define ERROR 1
#endif

int main(void) {
  long number, zero = 0;
  int *null = 0;
  CALL;
  if (ERROR) reach_error();
  return 0;
}
