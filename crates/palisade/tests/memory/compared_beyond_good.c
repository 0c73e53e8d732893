// check: memory
// expect: TRUE
#include <string.h>

int main(void) {
  char a[3] = "ab", b[5] = "abcd";
  return memcmp(a, b, sizeof a) + memcmp(a + 3, b + 5, 0);
}
