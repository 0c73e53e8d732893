/* This text is not read. */
#include <stdlib.h>
int main(void) {
  if (atof("1e23")) reach_error();
}
