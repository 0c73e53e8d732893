// Constant tables of all kinds, read at computed indices; and arrays that only look like one.
#include <string.h>
#define R4(f, i) f(i), f(i + 1), f(i + 2), f(i + 3)
#define R16(f, i) R4(f, i), R4(f, i + 4), R4(f, i + 8), R4(f, i + 12)
#define R64(f, i) R16(f, i), R16(f, i + 16), R16(f, i + 32), R16(f, i + 48)
#define R256(f, i) R64(f, i), R64(f, i + 64), R64(f, i + 128), R64(f, i + 192)
#define BYTE(i) (unsigned char)((i) * 167 + ((i) >> 3))
#define WORD(i) ((i) * 2654435761u ^ 0xdeadbeefu)
#define SIGNED(i) (short)((i) * 977 % 5000 - 2500)
#define LONG(i) ((i) * 0x123456789abcdefll)
#define TRUTH(i) (((i) * 5 & 12) == 4)
#define PAIR(i) { (i) * 3, (signed char)(100 - (i)), "abc"[(i) % 3] }
static const unsigned char bytes[256] = { R256(BYTE, 0) };
static const unsigned words[100] = { R64(WORD, 0), R16(WORD, 64), R4(WORD, 80), [99] = 7 };
const short shorts[64] = { R64(SIGNED, 0) };
static long long longs[64] = { R64(LONG, 0) };
static const _Bool truths[256] = { R256(TRUTH, 0) };
static const struct pair { int a; signed char b, c; } pairs[64] = { R64(PAIR, 0) };
static const int grid[5][7] = { { 1, 2, 3 }, { 4 }, { 5, 6, 7, 8, 9, 10, 11 }, { -1 }, { 0, 0, 0, 0, 0, 0, 12 } };
static const char *const names[] = { "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
  "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen" };
static int add(int x) { return x + 1; }
static int twice(int x) { return x * 2; }
static int same(int x) { return x; }
static int (*const steps[])(int) = { add, twice, same, add, add, twice, twice, same };
static const int steep[40] = { [20] = -2147483647 - 1, [21] = 2147483647 };
static unsigned char changed[64] = { R64(BYTE, 0) };
static unsigned char through[64] = { R64(BYTE, 0) };
static unsigned char copied[64] = { R64(BYTE, 0) };
static int local(unsigned i) { const int t[20] = { R16(SIGNED, 3) }; return t[i]; }
static int fresh(unsigned i) { int t[20] = { R16(SIGNED, 3) }; int old = t[i]; t[i] = 1; return old * 2 + t[i]; }
static int either(int c, unsigned i) { const unsigned char *t = c ? bytes : bytes + 10; return t[i]; }
static void set(unsigned char *p, unsigned i) { p[i] = 99; }
static unsigned digest(const unsigned char *s, unsigned n) {
  unsigned h = 0; for (unsigned i = 0; i < n; i++) h = words[(h ^ s[i]) & 63] ^ (h >> 8); return h; }
int main(void) {
  unsigned i, n = __VERIFIER_nondet_end(); long long sum = 0;
  for (i = n; i < 256; i += 5) { CHECK(bytes[i] == BYTE(i)) CHECK(truths[i] == TRUTH(i)) sum += bytes[255 - i]; }
  CHECK(sum == 6448)
  for (i = n; i < 84; i += 3) CHECK(words[i] == WORD(i))
  for (i = n + 84; i < 99; i++) CHECK(words[i] == 0)
  CHECK(words[n + 99] == 7)
  for (i = n; i < 64; i += 3) {
    CHECK(shorts[i] == SIGNED((int)i)) CHECK(longs[i] == LONG((int)i)) CHECK(pairs[i].a == (int)i * 3)
    CHECK(pairs[i].b == 100 - (int)i && pairs[i].c == "abc"[i % 3]) CHECK((&pairs[i])->a + 1 == 3 * (int)i + 1)
  }
  CHECK(grid[n + 2][n + 6] == 11 && grid[n + 3][n] == -1 && grid[n + 4][6] == 12 && grid[n][2] == 3 && grid[1][n + 1] == 0)
  for (i = n + 1, sum = 0; i < 18; i += 3) sum += names[i][0] + strlen(names[i]);
  CHECK(sum == 705)
  for (i = n, sum = 1; i < 8; i++) sum = steps[i](sum);
  CHECK(sum == 24)
  CHECK(steep[n + 20] < 0 && steep[n + 21] > 0 && steep[n + 22] == 0 && steep[n + 20] + steep[n + 21] == -1)
  CHECK(changed[n + 5] == BYTE(5)) changed[n + 5] = 77; CHECK(changed[n + 5] == 77 && changed[n + 6] == BYTE(6))
  CHECK(through[n + 9] == BYTE(9)) set(through, n + 9); CHECK(through[n + 9] == 99 && through[n + 8] == BYTE(8))
  memset(copied + n, 1, 3); CHECK(copied[n + 2] == 1 && copied[n + 3] == BYTE(3))
  for (i = n; i < 20; i += 6) { CHECK(local(i) == (i < 16 ? SIGNED(3 + (int)i) : 0)) CHECK(fresh(i) == 2 * local(i) + 1) }
  CHECK(either(n, n + 4) == BYTE(14) && either(n + 1, n + 4) == BYTE(4))
  CHECK(digest((const unsigned char *)names[n + 4], 4) == 3486434662u)
  return n;
}
