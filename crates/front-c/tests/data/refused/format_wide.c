// Whether there is a character of this number depends on the locale.
#include <stdio.h>
int main(void) {
  char b[8];
  if (snprintf(b, 8, "%lc", 200) == -1) reach_error();
  return 0;
}
