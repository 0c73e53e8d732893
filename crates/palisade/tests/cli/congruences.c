// Congruences may rest on constants that no other analysis finds.
// run: palisade verify --engine ic3-cfa --timeout 30 $FILE
// exit: 0
// last: RESULT: TRUE
#include <stdarg.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int fmt(const char *f, ...) {
  va_list ap; va_start(ap, f); unsigned at = 0, i = 0; char digits[24];
  while (f[i] != 0) {
    if (f[i] != '%') { at++; i++; continue; }
    i += 2;
    int number = va_arg(ap, int), count = 0, most = 24; unsigned value = number < 0 ? 0u - (unsigned)number : number;
    while (value != 0) { int d = (int)(value % 10u); most--; digits[most] = (char)('0' + d); value /= 10u; }
    count = 24 - most;
    if (number < 0) at++;
    { int j = 0; while (j < count) { at++; j++; } }
  }
  va_end(ap); return at; }
int main(void){ int n = __VERIFIER_nondet_int(); if (n != -123) return 0;
 if (fmt("%d",n) != 4) reach_error(); return 0; }
