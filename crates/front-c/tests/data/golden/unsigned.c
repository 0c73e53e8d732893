// Unsigned arithmetic wraps around; conversions cut off.
// mode: c
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {
  unsigned u = __VERIFIER_nondet_uint();
  unsigned char low = u;
  u = u + 1u;
  if (u == 0u && low != 255) reach_error();
  return 0;
}
