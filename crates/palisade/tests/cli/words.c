// run: palisade verify --certificate $TMP/proof $FILE
// exit: 0
// last: RESULT: TRUE
// stdout: integers: read as words (--int bv)
// run: palisade check $FILE $TMP/proof
// exit: 0
// stderr: int=bv
// run: palisade verify --int c --timeout 2 $FILE
// exit: 20
// last: RESULT: UNKNOWN(timeout)
#include <assert.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

// A power of two has one bit: easy on words, hard on integers.
int main(void) {
  unsigned char n = __VERIFIER_nondet_uchar();
  int bits = 0;
  for (int i = 0; i < 8; i++)
    if (n >> i & 1)
      bits++;
  assert(((n & (n - 1)) == 0) == (bits <= 1));
  return 0;
}
