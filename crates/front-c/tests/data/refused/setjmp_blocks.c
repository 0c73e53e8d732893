// Jumps into several blocks of one function.
#include <setjmp.h>
static jmp_buf a, b; int main(void) {
  { if (setjmp(a)) reach_error(); } { if (setjmp(b)) longjmp(a, 1); } longjmp(b, 1); }
