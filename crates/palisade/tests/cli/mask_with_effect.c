// The second argument of `sigsetjmp` is evaluated, too.
// run: palisade verify --64 $FILE
// exit: 20
// stdout: `sigsetjmp` with an argument that does something
// run: palisade verify --64 -D PLAIN $FILE
// exit: 0
#include <assert.h>
#include <setjmp.h>

static int count;
static sigjmp_buf buffer;

int main(void) {
#ifdef PLAIN
  if (sigsetjmp(buffer, count)) return 0;
  count++;
#else
  if (sigsetjmp(buffer, count++)) return 0;
#endif
  assert(count == 1);
  return 0;
}
