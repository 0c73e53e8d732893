/* The numbers are the same ones again. */
#include <stdlib.h>
int main(void) {
  srand(1);
  int a = rand();
  srand(1);
  if (a == rand()) reach_error();
}
