// Addresses as integers can be compared. In one object the later place has the larger number; else it depends
// on where the objects lie.
// run: palisade verify --64 -D CLAIM='(uintptr_t)&a[i]<(uintptr_t)&a[i+1]' $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade verify --64 -D CLAIM='(uintptr_t)(h+i)<(uintptr_t)(h+2)' $FILE
// exit: 10
// last: RESULT: FALSE(assert)
// run: palisade verify --64 -D CLAIM='(uintptr_t)(h+i)<=(uintptr_t)(h+2)' $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade verify --64 -D CLAIM='(uintptr_t)&x<(uintptr_t)&y||i==5' $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on an address as a number)
// run: palisade verify --64 -D CLAIM='(uintptr_t)&x!=0x40401c' $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on an address as a number)
// run: palisade verify --64 -D CLAIM='(uintptr_t)&x!=0&&(uintptr_t)&x!=(uintptr_t)&y' $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade verify --64 --undefined assume -D CLAIM='((uintptr_t)&x<(uintptr_t)&y)<2&&i==0' $FILE
// exit: 10
// last: RESULT: FALSE(assert)
// run: palisade verify --64 -D CLAIM='&x!=(int*)0x40401c' $FILE
// exit: 0
// stdout: assuming that no object of the program lies at an address that it gives as a number
// last: RESULT: TRUE
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
int a[4], x, y;

int main(void) {
  unsigned i = __VERIFIER_nondet_uint();
  int *h = malloc(3 * sizeof(int));
  if (i > 2)
    return 0;
  assert(CLAIM);
  return 0;
}
