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
/* Floating-point inputs: integers, eighths, any bits. */
static double double_of(unsigned long long v) {
  union { unsigned long long u; double f; } b;
  b.u = mix(v);
  switch (mix(v ^ 1) & 3) {
    case 0: return b.f; case 1: return (double)(long long)v; default: return (double)(long long)v * 0.125; }
}
static float float_of(unsigned long long v) {
  union { unsigned u; float f; } b;
  b.u = mix(v);
  switch (mix(v ^ 1) & 3) {
    case 0: return b.f; case 1: return (float)(long long)v; default: return (float)(long long)v * 0.125f; }
}
