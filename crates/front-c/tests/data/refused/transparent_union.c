// An argument of any of the member types.
typedef union { int i; unsigned u; } any __attribute__((transparent_union));
int f(any a) { return a.i; } int main(void) { if (f(3) == 3) reach_error(); return 0; }
