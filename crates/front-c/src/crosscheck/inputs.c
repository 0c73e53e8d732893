/* The inputs of a compared program: what both harnesses draw from a seed. */
static unsigned count;
static unsigned long long seed;
static unsigned long long mix(unsigned long long x) {
  x += 0x9e3779b97f4a7c15ull; x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull; return x ^ x >> 31;
}
static unsigned long long value(unsigned long long f, unsigned long long k) {
  unsigned long long r = mix(seed ^ mix(f ^ mix(k))), low = mix(r);
  switch (r & 7) {
    case 0: case 1: case 2: return low & 7; case 3: return (low & 7) - 4; case 4: return low & 63;
    case 5: return (1ull << (low & 63)) - 1 + (low >> 32 & 3);
    case 6: return low & 1; default: return low; }
}
/* An integer that a significand of so many bits holds. */
static long long integer_of(unsigned long long v, int bits) {
  long long n = v, least = 1ll << bits;
  return n >= least || n < -least ? n >> (64 - bits) : n;
}
/* Floating-point inputs: integers, eighths, any bits. None is rounded: the program may have changed how. */
static double double_of(unsigned long long v) {
  union { unsigned long long u; double f; } b;
  b.u = mix(v);
  switch (mix(v ^ 1) & 3) {
    case 0: return b.f; case 1: return (double)integer_of(v, 53);
    default: return (double)integer_of(v, 53) * 0.125; }
}
static float float_of(unsigned long long v) {
  union { unsigned u; float f; } b;
  b.u = mix(v);
  switch (mix(v ^ 1) & 3) {
    case 0: return b.f; case 1: return (float)integer_of(v, 24);
    default: return (float)integer_of(v, 24) * 0.125f; }
}
