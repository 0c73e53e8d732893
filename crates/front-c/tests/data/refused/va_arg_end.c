// Behind the last argument.
#include <stdarg.h>
int f(int n, ...) { va_list ap; va_start(ap, n); int x = va_arg(ap, int); va_end(ap); return x; }
int main(void) { f(1); reach_error(); return 0; }
