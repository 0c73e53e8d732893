// Further functions of the library.
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
static int same(const char *a, const char *b) { return strcmp(a, b) == 0; }
static char *joined(char *to, size_t n, const char *a, int k) { snprintf(to, n, "%s:%03d", a, k); return to; }
int main(void) {
  char b[40], *end, *state; const char *t;
  CHECK(strtol("  -42x", &end, 10) == -42 && *end == 'x') CHECK(strtol("0x1F", 0, 0) == 31 && strtol("017", &end, 0) == 15)
  CHECK(strtol("zz", &end, 36) == 35 * 36 + 35 && *end == 0) CHECK(strtol("0x", &end, 16) == 0 && *end == 'x')
  t = "abc"; CHECK(strtol(t, &end, 10) == 0 && end == t) CHECK(strtol("99999999999999999999", 0, 10) == (long)(-1ul / 2))
  CHECK(strtol("-99999999999999999999", 0, 10) == -(long)(-1ul / 2) - 1)
  CHECK(strtoul("ff", 0, 16) == 255 && strtoul("-1", 0, 10) == -1ul) CHECK(strtoll("-9223372036854775808", 0, 10) < 0)
  CHECK(strtoull("18446744073709551615", 0, 10) == ~0ull) CHECK(atoi("12ab") == 12 && atol("-3") == -3 && atoi("") == 0)
  CHECK(sprintf(b, "%d-%s|%c%%", -12, "ab", 'z') == 9 && same(b, "-12-ab|z%"))
  CHECK(snprintf(b, 4, "%x", 0xabcdef) == 6 && same(b, "abc")) CHECK(snprintf(b, sizeof b, "%5d|%-4u|%04X", 42, 7u, 0xfeu) == 15)
  CHECK(same(b, "   42|7   |00FE")) sprintf(b, "%.3s|%.4d|%+d|% d", "abcdef", 7, 5, 6); CHECK(same(b, "abc|0007|+5| 6"))
  sprintf(b, "%ld %llu %hhd %#x %o", -5L, 18446744073709551615ull, 300, 255, 8); CHECK(same(b, "-5 18446744073709551615 44 0xff 10"))
  sprintf(b, "%*d|%-*d|%.*s", 4, 1, 3, 2, 1, "xy"); CHECK(same(b, "   1|2  |x")) CHECK(sprintf(b, "%d", 0) == 1 && b[0] == '0')
  sprintf(b, "%d", -2147483647 - 1); CHECK(same(b, "-2147483648"))
  for (int i = 0; i < 3; i++) CHECK(joined(b, sizeof b, "k", i)[4] == '0' + i)
  char *copy = strdup("hello"); CHECK(same(copy, "hello")) copy[0] = 'j'; CHECK(copy[0] == 'j') free(copy);
  copy = strndup("hello", 2); CHECK(same(copy, "he")) free(copy);
  strcpy(b, ",a,,b;c"); CHECK(same(strtok(b, ",;"), "a")) CHECK(same(strtok(0, ",;"), "b") && same(strtok(0, ",;"), "c"))
  CHECK(strtok(0, ",;") == 0) strcpy(b, "x y"); CHECK(same(strtok_r(b, " ", &state), "x") && same(strtok_r(0, " ", &state), "y"))
  strcpy(b, "p,,q"); state = b; CHECK(same(strsep(&state, ","), "p") && same(strsep(&state, ","), "") && same(strsep(&state, ","), "q"))
  CHECK(state == 0 && strsep(&state, ",") == 0) CHECK(strcasecmp("AbC", "aBc") == 0 && strcasecmp("b", "A") > 0)
  CHECK(strncasecmp("ABx", "abq", 2) == 0) bzero(b, 3); CHECK(b[0] == 0 && b[2] == 0)
  memset(b, 'x', 8); explicit_bzero(b + 1, 2); CHECK(b[0] == 'x' && b[1] == 0 && b[2] == 0 && b[3] == 'x')
  CHECK(bcmp("abc", "abd", 2) == 0 && bcmp("abc", "abd", 3) != 0 && bcmp("a", "b", 0) == 0)
  strcpy(b, "abcdef"); bcopy(b, b + 1, 4); CHECK(same(b, "aabcdf")) bcopy(b + 1, b, 5); CHECK(same(b, "abcdff"))
  end = mempcpy(b, "12345", 3); CHECK(end == b + 3 && b[2] == '3' && b[3] == 'd')
  end = memccpy(b, "k=v;w", ';', 5); CHECK(end == b + 4 && b[3] == ';' && b[4] == 'f')
  CHECK(memccpy(b, "uvw", 'z', 3) == 0 && b[2] == 'w') CHECK(rawmemchr(b, ';') == b + 3)
  end = stpncpy(b, "xy", 4); CHECK(end == b + 2 && b[3] == 0) CHECK(stpncpy(b, "stuv", 2) == b + 2 && b[1] == 't')
  t = "a/b/c"; CHECK(index(t, '/') == t + 1 && rindex(t, '/') == t + 3 && index(t, 'x') == 0 && rindex(t, 0) == t + 5)
  CHECK(isascii(127) != 0 && isascii(128) == 0 && isascii(-1) == 0 && toascii(0xc1) == 0x41 && toascii(-1) == 127)
  return __VERIFIER_nondet_end();
}
