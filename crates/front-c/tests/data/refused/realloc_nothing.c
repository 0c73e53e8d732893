// C leaves open what this returns.
#include <stdlib.h>
int main(void) { int *p = malloc(4); if (realloc(p, 0) == 0) reach_error(); return 0; }
