// An output that is a pointer.
int main(void) { int x = 1, *p = &x; __asm__ ("" : "=r"(p)); if (*p || !*p) reach_error(); return 0; }
