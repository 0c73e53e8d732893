// Integers of 128 bits are words; gcc has them where `long` has 64 bits.
// run: palisade verify --64 --timeout 20 $FILE
// exit: 0
// stdout: integers: read as words
// run: palisade verify --64 --timeout 20 -D WRONG=1 $FILE
// exit: 10
// run: palisade verify --64 --timeout 20 -D WRONG=2 $FILE
// exit: 10
// run: palisade verify --64 --timeout 20 -D WRONG=3 $FILE
// exit: 10
// run: palisade verify --64 --check overflow --timeout 20 -D LEAST $FILE
// exit: 10
// run: palisade verify --64 --int c --timeout 20 $FILE
// exit: 3
// stderr: `__int128` (use --int bv)
// run: palisade verify --32 --int bv --timeout 20 $FILE
// exit: 3
// stderr: `__int128` with words of 32 bits
#include <stdint.h>
#include <string.h>

extern void reach_error(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern __int128 __VERIFIER_nondet_int128(void);
extern unsigned __int128 __VERIFIER_nondet_uint128(void);
#ifndef WRONG
#define WRONG 0
#endif

typedef unsigned __int128 u128;
union words {
  u128 all;
  struct { uint64_t low, high; } part;
  unsigned char bytes[16];
};

static uint64_t high_product(uint64_t a, uint64_t b) { return (uint64_t)(((u128)a * b) >> 64); }

static int layout(void) {
  struct { char c; __int128 x; } s = { 1, -1 };
  return sizeof s == 32 && _Alignof(__int128) == 16 && _Generic(s.x, __int128: 1, default: 0) && s.x < 0;
}

static int parts(uint64_t a) {
  union words w;
  unsigned char copy[16];
  u128 all, back;
  w.all = (u128)a << 64 | 5;
  w.part.low += 2;
  all = w.all;
  memcpy(copy, &all, 16);
  memcpy(&back, copy, 16);
  return w.part.high == a && w.bytes[0] == 7 && back == ((u128)a << 64) + 7;
}

static int selected(__int128 x) {
  switch (x) {
    case -1: return 1;
    case 0x7fffffffffffffff: return 2;
    default: return 3;
  }
}

#ifdef LEAST
int main(void) {
  // -2^127 is computed from numbers of 64 bits.
  __int128 least = ((__int128)INT64_MIN * INT64_MAX + INT64_MIN) * 2;
  return -(((__int128)INT64_MIN * INT64_MAX + INT64_MIN) * 2) == least;
}
#else
int main(void) {
  uint64_t a = __VERIFIER_nondet_ulong(), product;
  __int128 s = __VERIFIER_nondet_int128(), sum = 0;
  u128 x = __VERIFIER_nondet_uint128(), all = -1;

  if (!layout() || !parts(a)) reach_error();
  if (all + 1 != 0 || all >> 64 != UINT64_MAX || ~(u128)0 != all) reach_error();
  if (s < 0 && (u128)s < (u128)1 << 127) reach_error();
  if (high_product(~0ul, ~0ul) != ~0ul - 1) reach_error();
  if (!__builtin_mul_overflow(a, 16ul, &product) && product >> 4 != a) reach_error();
  for (int i = 0; i < 10; i++) sum -= (__int128)1 << 70;
  if (sum != -((__int128)10 << 70) || sum >> 71 != -5) reach_error();
  if (sizeof "_Float16x" != 10) reach_error(); // how the parser sees the type
  if (selected(-1) != 1 || selected((__int128)1 << 64) != 3) reach_error();
  // The inputs of these runs have more than 64 bits.
  if (WRONG == 1 && x > (u128)5 << 120 && (x & 255) == 90) reach_error();
  if (WRONG == 2 && s < -((__int128)7 << 100)) reach_error();
  if (WRONG == 3 && __builtin_mul_overflow(a, a, &product) && product == 64) reach_error();
  return 0;
}
#endif
