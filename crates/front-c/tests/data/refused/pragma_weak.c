// A weak symbol.
#pragma weak f
extern void f(void); int main(void) { if (!f) reach_error(); return 0; }
