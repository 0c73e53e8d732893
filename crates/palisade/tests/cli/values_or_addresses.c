// A table whose entries are values or addresses, as in protocol stacks. Where no number decides anything, a
// violation does not depend on where the objects lie.
// run: palisade verify --64 -D CLAIM='put(1,v)==0&&get(1)==v&&first==v' $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade verify --64 -D CLAIM='put(1,v)==0&&first!=77' $FILE
// exit: 10
// last: RESULT: FALSE(assert)
// run: palisade verify --32 -D CLAIM='put(0,v)==0&&put(3,v)==0' $FILE
// exit: 10
// last: RESULT: FALSE(assert)
// Whether an address is null is no question, whatever the object is.
// run: palisade verify --64 -D CLAIM='size(1)==0' $FILE
// exit: 10
// last: RESULT: FALSE(assert)
// run: palisade verify --64 -D CLAIM='size(1)==2&&size(3)==0' $FILE
// exit: 0
// last: RESULT: TRUE
// Odd it is not, but more is not known: here an address is taken for a value, cut short, compared with another one, or computed with and asked
// whether it is null.
// run: palisade verify --64 -D CLAIM='(unsigned)table[1].data!=77' $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade verify --64 -D CLAIM='(table[1].data=(uintptr_t)&second,table[1].direct=1,get(1)!=78)' $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on an address as a number)
// run: palisade verify --64 -D CLAIM='(unsigned)table[1].data!=78' $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on an address as a number)
// run: palisade verify --64 -D CLAIM='table[1].data<table[2].data' $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on an address as a number)
// run: palisade verify --64 -D CLAIM='table[1].data+v!=0' $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on an address as a number)
// run: palisade verify --64 -D CLAIM='(bool)(table[1].data-v)' $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on an address as a number)
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

extern unsigned short __VERIFIER_nondet_ushort(void);

struct entry {
  bool direct;
  uintptr_t data;
};
static uint16_t first, second;
static struct entry table[4] = {{true, 7}, {false, (uintptr_t)&first}, {false, (uintptr_t)&second}, {false, 0}};

static int size(int i) {
  if (table[i].direct)
    return 2;
  return table[i].data != 0 ? 2 : 0;
}

static int put(int i, uint16_t v) {
  if (size(i) != 2)
    return -1;
  if (table[i].direct)
    table[i].data = v;
  else
    *(uint16_t *)table[i].data = v;
  return 0;
}

static uint16_t get(int i) {
  return table[i].direct ? (uint16_t)table[i].data : *(uint16_t *)table[i].data;
}

int main(void) {
  uint16_t v = __VERIFIER_nondet_ushort();
  assert(CLAIM);
  (void)put(2, (uint16_t)(get(2) + v));
  return 0;
}
