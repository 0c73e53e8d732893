/* A string that is moved within its array by `strcpy`. */
#include <string.h>

int main(void) {
  char a[5] = "abcd";
  strcpy(a, a + 1);
  CHECK(a[0] == 'b')
  return 0;
}
