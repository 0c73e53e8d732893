// A struct from the library.
#include <stdlib.h>
int main(void) { if (div(7, 2).quot == 3) reach_error(); return 0; }
