// A table of 4,096 elements costs what one read costs, also in a counterexample.
// run: palisade verify --int bv --timeout 300 $FILE
// exit: 10
// last: RESULT: FALSE(unreach-call)
// run: palisade verify --int c --timeout 300 $FILE
// exit: 10
// last: RESULT: FALSE(unreach-call)
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
#define R4(i) V(i), V(i + 1), V(i + 2), V(i + 3)
#define R16(i) R4(i), R4(i + 4), R4(i + 8), R4(i + 12)
#define R64(i) R16(i), R16(i + 16), R16(i + 32), R16(i + 48)
#define R256(i) R64(i), R64(i + 64), R64(i + 128), R64(i + 192)
#define R1K(i) R256(i), R256(i + 256), R256(i + 512), R256(i + 768)
#define V(i) (unsigned char)((i) * 40503u >> 5) % 128
static const unsigned char table[4096] = { R1K(0), R1K(1024), R1K(2048), R1K(3072) };
int main(void) {
  unsigned i = __VERIFIER_nondet_uint(), x = 0;
  while (__VERIFIER_nondet_uint()) { x = table[(x + i) % 4096]; i++; }
  if (x == 100) reach_error();
  return 0;
}
