// check: memory
// expect: FALSE(valid-deref)
// `memcmp` compares so many bytes, wherever the first difference is (C11 7.24.4.1).
#include <string.h>

int main(void) {
  char a[3] = "ab", b[5] = "abcd";
  return memcmp(a, b, sizeof b);
}
