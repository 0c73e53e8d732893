// The function is another one.
int f(void) __asm__("g"); int g(void) { return 3; }
int main(void) { if (f() == 3) reach_error(); return 0; }
