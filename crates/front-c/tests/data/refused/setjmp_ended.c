// A jump to a function that has ended.
#include <setjmp.h>
static jmp_buf a; static int f(void) { return setjmp(a); } void exit(int);
int main(void) { if (f()) reach_error(); longjmp(a, 1); }
