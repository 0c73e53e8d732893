// The variable is a register.
int main(void) { register int x asm("ebx") = 1; if (x == 1) reach_error(); return 0; }
