// A function without body that gets an address as a number can change what is there: as an argument, in a
// variable that it knows, and in an object that it is given.
// run: palisade verify --64 -D GIVE='ext(u)' $FILE
// exit: 20
// stdout: what a function without body may have changed
// run: palisade verify --64 -D GIVE='ext((uintptr_t)&x+1)' $FILE
// exit: 20
// stdout: what a function without body may have changed
// run: palisade verify --64 -D GIVE='(shared=u,ext(0))' $FILE
// exit: 20
// stdout: what a function without body may have changed
// run: palisade verify --64 -D GIVE='(box.u=u,take(&box))' $FILE
// exit: 20
// stdout: what a function without body may have changed
// run: palisade verify --64 --undefined arbitrary -D GIVE='ext(u)' $FILE
// exit: 20
// stdout: what a function without body may have changed
// Without such a call nothing changes.
// run: palisade verify --64 -D GIVE='(shared=u)' $FILE
// exit: 0
// last: RESULT: TRUE
#include <assert.h>
#include <stdint.h>

extern void ext(uintptr_t), take(void *);
uintptr_t shared;
static struct {
  uintptr_t u;
} box;

int main(void) {
  int x = 1;
  uintptr_t u = (uintptr_t)&x;
  GIVE;
  assert(x == 1);
  return 0;
}
