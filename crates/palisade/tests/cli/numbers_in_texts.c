// Reading and writing numbers needs the widths of types: refused where integers have none.
// run: palisade verify --int c $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade verify --int math $FILE
// exit: 20
// stdout: call of `sscanf` where integers have no width
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  int a = 7, b = 8;
  int n = sscanf("12,z", "%d,%d", &a, &b);
  assert(n == 1 && a == 12 && b == 8);
  char *end;
  assert(strtol("0779", &end, 0) == 63);
  return 0;
}
