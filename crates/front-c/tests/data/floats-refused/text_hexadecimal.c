/* This text is not read. */
#include <stdlib.h>
int main(void) {
  if (atof("0x1p3")) reach_error();
}
