// A struct read as another one.
#include <stdarg.h>
struct s { int x; }; struct t { int x; };
static int f(int n, ...) { va_list ap; va_start(ap, n); struct t t = va_arg(ap, struct t); va_end(ap); return t.x; }
int main(void) { struct s s = { 1 }; if (f(1, s) == 1) reach_error(); return 0; }
