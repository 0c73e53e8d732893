// Numbers may decide here, since a table holds values and addresses and its entries are cut short or seen as
// bytes. What is violated wherever the objects lie is violated.
// run: palisade verify --64 -D CLAIM='size(&objs[0])==5' $FILE
// exit: 10
// last: RESULT: FALSE(assert)
// run: palisade verify --64 -D CLAIM='size(&objs[0])==4' $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade verify --64 -D CLAIM='get(&objs[i])==3' $FILE
// exit: 10
// last: RESULT: FALSE(assert)
// run: palisade verify --64 --int bv -D CLAIM='get(&objs[i])==3' $FILE
// exit: 10
// last: RESULT: FALSE(assert)
// Some places only: cut short, in an order, by a bit, in the middle of the other object, a hash.
// run: palisade verify --64 -D CLAIM='(uint32_t)objs[1].data!=4096' $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on an address as a number)
// run: palisade verify --64 -D CLAIM='objs[0].data<objs[1].data' $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on an address as a number)
// run: palisade verify --64 -D CLAIM='(objs[1].data&4096)==0' $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on an address as a number)
// run: palisade verify --64 -D CLAIM='(objs[1].data&4096)!=0' $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on an address as a number)
// run: palisade verify --64 -D CLAIM='objs[1].data-objs[0].data!=16' $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on an address as a number)
// run: palisade verify --64 -D CLAIM='objs[1].data%7!=i' $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on an address as a number)
// Aligned they are everywhere.
// run: palisade verify --64 -D CLAIM='objs[1].data%4==1' $FILE
// exit: 10
// last: RESULT: FALSE(assert)
#include <assert.h>
#include <stdint.h>
extern unsigned __VERIFIER_nondet_uint(void);

typedef struct {
  uint32_t key;
  uintptr_t data;
} obj;

typedef struct {
  uint32_t off;
  uint32_t size;
  uint8_t *start;
} dom;

static uint8_t mem[4];
static dom d = {0, 4, mem};
static uint32_t v = 3;
static obj objs[] = {{0, (uintptr_t)&d}, {2, (uintptr_t)&v}, {3, 77}};

static int size(obj *o) { return ((dom *)o->data)->size; }

static uint32_t get(obj *o) {
  if (o->key & 1)
    return (uint32_t)o->data;
  return *(uint32_t *)o->data;
}

int main(void) {
  unsigned i = __VERIFIER_nondet_uint();
  if (i < 1 || i > 2)
    return 0;
  assert(CLAIM);
  return 0;
}
