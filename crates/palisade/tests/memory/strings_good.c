// check: memory
// expect: TRUE
#include <string.h>
int main(void) {
  char b[6];
  strcpy(b, "hello");
  return strlen(b) - 5;
}
