/* What gcc calls for 64-bit division on a 32-bit machine. */
static unsigned long long divide(unsigned long long a, unsigned long long b, int rest) {
  unsigned long long q = 0, r = 0;
  if (b == 0) __builtin_trap();
  for (int i = 63; i >= 0; i--) {
    int carry = r >> 63;
    r = r << 1 | (a >> i & 1);
    if (carry || r >= b) { r -= b; q |= 1ull << i; }
  }
  return rest ? r : q;
}
static unsigned long long size(long long n) { return n < 0 ? -(unsigned long long)n : n; }
WEAK unsigned long long __udivdi3(unsigned long long a, unsigned long long b) { return divide(a, b, 0); }
WEAK unsigned long long __umoddi3(unsigned long long a, unsigned long long b) { return divide(a, b, 1); }
WEAK long long __divdi3(long long a, long long b) {
  unsigned long long q = divide(size(a), size(b), 0);
  return (a < 0) != (b < 0) ? -q : q;
}
WEAK long long __moddi3(long long a, long long b) {
  unsigned long long r = divide(size(a), size(b), 1);
  return a < 0 ? -r : r;
}
