// Effects in operands of assembly.
int main(void) { int x = 1; __asm__ ("" : : "r"(x++)); if (x == 2) reach_error(); return 0; }
