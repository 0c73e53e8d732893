// The library: characters, absolute values, byte order, bits, checked arithmetic, errno.
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <stdio.h>
#include <arpa/inet.h>
static int bits(unsigned x) { int n = 0; while (x) { n += x & 1; x >>= 1; } return n; }
int main(void) {
  for (int c = -1; c < 256; c += 9) {
    CHECK(!isdigit(c) == !(c >= '0' && c <= '9')) CHECK(!isalpha(c) == !(isupper(c) || islower(c)))
    CHECK(!isalnum(c) == !(isalpha(c) || isdigit(c))) CHECK(!isspace(c) == !(c == 32 || (c > 8 && c < 14)))
    CHECK(!isprint(c) == !(isgraph(c) || c == 32)) CHECK(!isgraph(c) == !(isalnum(c) || ispunct(c)))
    CHECK(isupper(c) ? tolower(c) == c + 32 : tolower(c) == c) CHECK(toupper(c) == (islower(c) ? c - 32 : c))
    CHECK(isdigit(c) == isdigit(c))
  }
  CHECK(isxdigit('f') && isxdigit('A') && !isxdigit('g') && isblank('\t') && iscntrl(127) && !iscntrl(32) && ispunct('_'))
  CHECK(abs(-3) == 3 && labs(-1) == 1 && llabs(-5000000000LL) == 5000000000LL && abs(0) == 0)
  CHECK(rand() >= 0) CHECK(errno == 0) errno = 7; CHECK(errno == 7)
  printf("%d%%n %s\n", 3, "x");
  CHECK(htonl(0x01020304) == 0x04030201 && ntohl(0xff) == 0xff000000u && htons(0x1234) == 0x3412 && ntohs(0xff00) == 255)
  CHECK(__builtin_bswap16(0x1234) == 0x3412 && __builtin_bswap32(0xa1b2c3d4) == 0xd4c3b2a1)
  CHECK(__builtin_bswap64(0x0102030405060708ULL) == 0x0807060504030201ULL)
  unsigned v[] = { 1, 2, 0x80000000u, 0xffffffffu, 0x00f0a000u, 6 };
  for (int i = 0; i < 6; i++) {
    unsigned x = v[i];
    CHECK(__builtin_popcount(x) == bits(x) && __builtin_parity(x) == bits(x) % 2)
    CHECK((x >> __builtin_ctz(x) & 1) == 1 && (x & ((1ull << __builtin_ctz(x)) - 1)) == 0 && __builtin_ffs(x) == __builtin_ctz(x) + 1)
    CHECK(x >> (31 - __builtin_clz(x)) == 1)
    CHECK(__builtin_clzll(x) == __builtin_clz(x) + 32 && __builtin_clzl(x) == __builtin_clz(x) + 8 * (int)sizeof(long) - 32)
    CHECK(__builtin_ctzll((unsigned long long)x << 32) == __builtin_ctz(x) + 32 && __builtin_popcountll(~0ULL - x) == 64 - bits(x))
  }
  CHECK(__builtin_ffs(0) == 0 && __builtin_popcount(0) == 0)
  int r; unsigned u; signed char c; long long l;
  CHECK(__builtin_add_overflow(2147483647, 1, &r) && r == -2147483647 - 1) CHECK(!__builtin_add_overflow(1, 2, &r) && r == 3)
  CHECK(__builtin_sub_overflow(1u, 2u, &u) && u == 4294967295u) CHECK(!__builtin_sub_overflow(1u, 2u, &r) && r == -1)
  CHECK(__builtin_mul_overflow(65536, 65536, &r) && r == 0) CHECK(__builtin_add_overflow(100, 100, &c) && c == -56)
  CHECK(__builtin_add_overflow(9223372036854775807LL, 1, &l) && l < 0) CHECK(!__builtin_mul_overflow(65536, 65536, &l) && l == 4294967296LL)
  CHECK(__builtin_sadd_overflow(2147483647, 1, &r))
  CHECK(__builtin_expect(3, 1) == 3 && __builtin_choose_expr(1, 5, "x") == 5 && __builtin_abs(-2) == 2 && __builtin_strlen("abc") == 3)
  return __VERIFIER_nondet_end();
}
