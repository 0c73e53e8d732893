/* Floating-point numbers as bytes, and as integers through pointers. */
int main(void) {
  float f = 1.5f;
  unsigned *u = (unsigned *)&f;
  CHECK(*u == 0x3fc00000)
  *u |= 0x80000000;
  CHECK(f == -1.5f)
  double d = 1.0;
  unsigned char *p = (unsigned char *)&d;
  CHECK(p[7] == 0x3f && p[6] == 0xf0 && p[0] == 0)
  p[7] = 0x40;
  p[6] = 0;
  CHECK(d == 2.0)
  long long bits = 0x4009000000000000LL;
  CHECK(*(double *)&bits == 3.125)
  struct { int n; float v[2]; } s = {3, {0.5f, 0.25f}};
  char *q = (char *)&s;
  CHECK(*(float *)(q + 8) == 0.25f && q[11] == 0x3e)
  return __VERIFIER_nondet_end();
}
