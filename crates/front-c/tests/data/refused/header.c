// A function that only a header of the system knows.
#define _GNU_SOURCE
#include <string.h>
int main(void) { if (strverscmp("a", "a") == 0) reach_error(); return 0; }
