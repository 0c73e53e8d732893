// Functions that programs bring along where the library has none: searches, numbers, text of any length.
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
static int same(const char *a, const char *b) { return strcmp(a, b) == 0; }
static int told(char **to, const char *f, ...) { va_list ap; va_start(ap, f); int n = vasprintf(to, f, ap); va_end(ap); return n; }
int main(void) {
  char b[40], *end; const char *t;
  CHECK(ffs(0) == 0 && ffs(1) == 1 && ffs(40) == 4 && ffs(-2147483647 - 1) == 32 && ffs(-1) == 1)
  CHECK(ffsl(0) == 0 && ffsl(6L) == 2 && ffsll(0) == 0 && ffsll(1ll << 40) == 41 && ffsll(-8) == 4)
  CHECK(strtoimax("-77z", &end, 10) == -77 && *end == 'z') CHECK(strtoumax("ffffffffffffffff", 0, 16) == ~0ull)
  errno = 0; CHECK(strtoimax("9223372036854775808", 0, 10) == INTMAX_MAX && errno == ERANGE)
  t = "abXbaby"; CHECK(memmem(t, 7, "ba", 2) == t + 3 && memmem(t, 7, "by", 2) == t + 5 && memmem(t, 6, "by", 2) == 0)
  CHECK(memmem(t, 7, "", 0) == t && memmem(t, 1, "ab", 2) == 0 && memmem(t, 0, t, 0) == t)
  CHECK(strcasestr(t, "xBA") == t + 2 && strcasestr(t, "yz") == 0 && strcasestr(t, "") == t && strcasestr("", "a") == 0)
  CHECK(strcoll("ab", "ac") < 0 && strcoll("b", "a") > 0 && strcoll("x", "x") == 0)
  sprintf(b, "%#o|%#o|%#.0o|%.0o|%#5o|%#05o|%#.4o", 8, 0, 0, 0, 8, 8, 8); CHECK(same(b, "010|0|0||  010|00010|0010"))
  sprintf(b, "%#-6o|%#hho", 8, 256 + 9); CHECK(same(b, "010   |011"))
  CHECK(asprintf(&end, "%d/%s", 12, "ab") == 5) CHECK(same(end, "12/ab")) end[0] = '3'; CHECK(end[0] == '3') free(end);
  CHECK(told(&end, "<%c%03d>", 'k', 7) == 6) CHECK(same(end, "<k007>")) free(end);
  CHECK(asprintf(&end, "%s", "") == 0 && end[0] == 0) free(end);
  char *v = reallocarray(0, 3, 2); v[5] = 4; v = reallocarray(v, 5, 2); v[9] = 3; CHECK(v[5] == 4 && v[9] == 3) free(v);
  errno = 0; CHECK(reallocarray(0, (size_t)-1 / 2, 3) == 0 && errno == ENOMEM)
  return __VERIFIER_nondet_end();
}
