// A long number read as an `int`.
#include <stdarg.h>
int f(int n, ...) { va_list ap; va_start(ap, n); int x = va_arg(ap, int); va_end(ap); return x; }
int main(void) { if (f(1, 7LL) == 7) reach_error(); return 0; }
