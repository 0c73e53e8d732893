// An address that goes through a union, as a number or byte by byte, leads to the object also where the
// program is sliced.
// run: palisade verify --64 --undefined arbitrary --slice on -D COPY='b.number=a.number' $FILE
// exit: 20
// stdout: read of a union member that was not written last
// run: palisade verify --64 --undefined arbitrary --slice on -D COPY=BYTES $FILE
// exit: 20
// stdout: read of a union member that was not written last
// run: palisade verify --64 --undefined arbitrary --slice on -D COPY='b=a' $FILE
// exit: 10
// last: RESULT: FALSE(unreach-call)
// Blocks get their types late.
// run: palisade verify --64 --undefined arbitrary --slice on -D COPY='b.number=block()' $FILE
// exit: 20
// stdout: read of a union member that was not written last
#include <stdlib.h>
extern void reach_error(void);
#define BYTES for (int i = 0; i < 8; i++) b.bytes[i] = a.bytes[i]
union word {
  int *pointer;
  unsigned long number;
  unsigned char bytes[8];
};
static int x = 1;

static unsigned long block(void) {
  union word *w = malloc(sizeof *w);
  w->pointer = &x;
  return w->number;
}

int main(void) {
  union word a, b;
  a.pointer = &x;
  COPY;
  *b.pointer = 7;
  if (x != 1) reach_error();
  return 0;
}
