// The address of a weak function may be null.
extern void f(void) __attribute__((weak));
int main(void) { if (!f) reach_error(); return 0; }
