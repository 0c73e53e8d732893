// Formats that are literals: text, conversions, and buffers that are too small.
#include <stdio.h>
#include <string.h>

static char b[40];
static const char unended[3] = {'x', 'y', 'z'};

int main(void) {
  CHECK(sprintf(b, "plain %%") == 7 && strcmp(b, "plain %") == 0)
  CHECK(sprintf(b, "%d|%d|%i", 0, -12, 2147483647) == 16 && strcmp(b, "0|-12|2147483647") == 0)
  CHECK(sprintf(b, "%5d|%-5d|%05d", 42, -42, -42) == 17 && strcmp(b, "   42|-42  |-0042") == 0)
  CHECK(sprintf(b, "%+d|% d|%+d", 7, 7, -7) == 8 && strcmp(b, "+7| 7|-7") == 0)
  CHECK(sprintf(b, "%.3d|%.0d|%6.3d|%-6.2d|", 7, 0, -7, 5) == 19 && strcmp(b, "007||  -007|05    |") == 0)
  CHECK(sprintf(b, "%u|%x|%X|%o", 4294967295u, 48879u, 48879u, 8u) == 23 && strcmp(b, "4294967295|beef|BEEF|10") == 0)
  CHECK(sprintf(b, "%hhd|%hhu|%hd|%hu", 257, 257u, 65537, 65537u) == 7 && strcmp(b, "1|1|1|1") == 0)
  CHECK(sprintf(b, "%ld|%lu|%lld|%llx", -1L, 1UL, -5000000000LL, 5000000000ULL) == 26 && strcmp(b, "-1|1|-5000000000|12a05f200") == 0)
  CHECK(sprintf(b, "%c%3c%-3c|", 'a', 'b', 'c') == 8 && strcmp(b, "a  bc  |") == 0)
  CHECK(sprintf(b, "%s|%4s|%-4s|%.2s|%.*s", "ab", "c", "d", "efg", 2, unended) == 18 && strcmp(b, "ab|   c|d   |ef|xy") == 0)
  CHECK(sprintf(b, "%.*s|%.0s|", -1, "all", "none") == 5 && strcmp(b, "all||") == 0)
  CHECK(sprintf(b, "more %d", 1, 2) == 6 && strcmp(b, "more 1") == 0)
  CHECK(sprintf(b, "%x %u", -1, 5) == 10 && strcmp(b, "ffffffff 5") == 0)
  CHECK(snprintf(b, 8, "longer than %d", 8) == 13 && strcmp(b, "longer ") == 0)
  CHECK(snprintf(b, 40, "longer than %d", 8) == 13 && strcmp(b, "longer than 8") == 0)
  CHECK(snprintf(b, 4, "%d|%s", 12, "rest") == 7 && strcmp(b, "12|") == 0)
  CHECK(snprintf(b, 1, "%05d", 3) == 5 && strcmp(b, "") == 0)
  b[0] = 'k';
  b[1] = 0;
  CHECK(snprintf(b, 0, "untouched") == 9 && strcmp(b, "k") == 0)
  CHECK(snprintf(0, 0, "%d", 12345) == 5 && strcmp(b, "k") == 0)
  return __VERIFIER_nondet_end();
}
