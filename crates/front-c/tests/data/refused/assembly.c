// Inline assembly that names an object of the program.
int counter; int main(void) { __asm__("movl $1, counter(%%rip)" : : : "memory"); if (counter == 1) reach_error(); return 0; }
