// Unions whose members share all bits are bytes like other objects: copied in parts, set, written through
// pointers, also by an index that is not known.
// run: palisade verify --timeout 20 $FILE
// exit: 0
// run: palisade verify --int bv --timeout 20 $FILE
// exit: 0
// run: palisade verify --timeout 20 -D WRONG=1 $FILE
// exit: 10
// run: palisade verify --timeout 20 -D WRONG=2 $FILE
// exit: 10
// run: palisade verify --timeout 20 -D WRONG=3 $FILE
// exit: 10
// run: palisade verify --engine bmc --int bv --timeout 20 -D UNWRITTEN $FILE
// exit: 20
// stdout: read of a union that was not written
#include <stdint.h>
#include <string.h>

extern void reach_error(void);
extern unsigned int __VERIFIER_nondet_uint(void);
#ifndef WRONG
#define WRONG 0
#endif

union word {
  uint8_t bytes[4];
  uint32_t all;
  struct { uint16_t low, high; } half;
};
struct frame { uint8_t tag; union word payload; uint8_t sum; };

static void send(uint8_t *to, const union word *w) { memcpy(to, w, sizeof *w); }

int main(void) {
  uint32_t a = __VERIFIER_nondet_uint(), i = __VERIFIER_nondet_uint() % 4;
  uint8_t wire[8] = { 0 };
  union word x;
  struct frame f = { 1, { { 0 } }, 2 };

  x.all = a;
  send(wire + 2, &x);
  if (wire[2] != (a & 255) || wire[5] != a >> 24) reach_error();
  memcpy(&f.payload, wire + 2, 4);
  if (f.payload.all != a || f.payload.half.high != x.half.high || f.tag != 1 || f.sum != 2) reach_error();

  union word many[3];
  memcpy(many + 1, wire, 8);
  if (many[1 + i % 2].bytes[1] != wire[1 + 4 * (i % 2)]) reach_error();
#ifdef UNWRITTEN
  if (((uint8_t *)many)[2] == 5) reach_error();
  return 0;
#endif

  uint8_t *p = (uint8_t *)&f.payload;
  p[i] = 7;
  if (f.payload.bytes[i] != 7) reach_error();
  if (i == 1 && f.payload.half.low != ((a & 255) | 7 << 8)) reach_error();
  memset((uint8_t *)&f.payload + 1, 0, 2);
  if (i == 3 && f.payload.all != (7u << 24 | (a & 255))) reach_error();

  if (WRONG == 1 && wire[3] == 200 && x.half.high == 3) reach_error();
  if (WRONG == 2 && i == 0 && f.payload.all != a) reach_error();
  if (WRONG == 3 && f.payload.half.low == 9 && x.all != 9) reach_error();
  return 0;
}
