// Inline assembly.
int main(void) { int x = 0; __asm__("movl $1, %0" : "=r"(x)); if (x == 1) reach_error(); return 0; }
