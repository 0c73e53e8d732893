// Inline assembly that changes memory.
int main(void) { int x = 0; __asm__("movl $1, (%0)" : : "r"(&x) : "memory"); if (x == 1) reach_error(); return 0; }
