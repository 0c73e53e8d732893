// An output that no input shares.
int main(void) { int x = 1; __asm__ ("" : "=r"(x)); if (x || !x) reach_error(); return 0; }
