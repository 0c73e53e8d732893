// C leaves open how often the comparison is called.
#include <stdlib.h>
static int calls;
static int order(const void *a, const void *b) { calls++; return *(const int *)a - *(const int *)b; }
int main(void) { int a[3] = { 3, 1, 2 }; qsort(a, 3, sizeof *a, order); if (calls > 0) reach_error(); return 0; }
