/* Copies whose parts overlap: what they do is undefined, and compilers do it differently. */
#include <string.h>

int main(void) {
  char a[5] = "abcd";
  memcpy(a + 1, a, 3);
  CHECK(a[3] == 'a')
  return 0;
}
