// The function is chosen at run time.
int one(void) { return 1; } void *pick(void) { return one; } int f(void) __attribute__((ifunc("pick")));
int main(void) { if (f() == 1) reach_error(); return 0; }
