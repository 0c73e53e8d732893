// Operations on bits, as bit-vectors.
// mode: bv
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {
  unsigned u = __VERIFIER_nondet_uint();
  unsigned v = (u & 15u) << 2 | u >> 30;
  int s = (int)(v ^ ~u) >> 1;
  if (v > 63u && s != 0) reach_error();
  return 0;
}
