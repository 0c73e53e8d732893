/* The same with elements that are no bytes. */
#include <string.h>

int main(void) {
  int a[5] = {1, 2, 3, 4, 5};
  memcpy(a + 1, a, 3 * sizeof *a);
  CHECK(a[3] == 1)
  return 0;
}
