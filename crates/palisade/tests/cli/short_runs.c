// A checksum of any four bytes: what it computes is all that can be said of it, and every run ends.
// run: palisade verify --timeout 60 --certificate $TMP/proof.smt2 $FILE
// exit: 0
// last: RESULT: TRUE
// stdout: proof: every run leaves each loop within
// run: palisade check $FILE $TMP/proof.smt2
// exit: 0
// run: palisade check -D WRONG $FILE $TMP/proof.smt2
// exit: 2
// run: palisade verify --timeout 60 -D WRONG $FILE
// exit: 10
// last: RESULT: FALSE(assert)
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
static unsigned crc(const unsigned char *p, int n) {
  unsigned c = 0xff;
  for (int i = 0; i < n; i++) {
    c ^= p[i];
    for (int k = 0; k < 8; k++) c = c & 1 ? c >> 1 ^ 0x8c : c >> 1;
  }
  return c;
}
int main(void) {
  unsigned char message[3];
  for (int i = 0; i < 2; i++) message[i] = __VERIFIER_nondet_uchar();
  message[2] = crc(message, 2);
#ifdef WRONG
  assert(crc(message, 3) == message[0] >> 7);
#else
  assert(crc(message, 3) == 0);
#endif
}
