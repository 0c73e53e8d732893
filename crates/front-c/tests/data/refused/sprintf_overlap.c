/* A text is written into the array that it is read from. */
#include <stdio.h>

int main(void) {
  char b[16] = "ab";
  sprintf(b, "x%s", b);
  CHECK(b[1] == 'x')
  return 0;
}
