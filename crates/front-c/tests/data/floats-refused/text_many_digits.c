/* This text is not read. */
#include <stdlib.h>
int main(void) {
  if (atof("12345678901234567890")) reach_error();
}
