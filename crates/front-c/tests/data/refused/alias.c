// Two names of one function.
int f(void) { return 1; } int g(void) __attribute__((alias("f")));
int main(void) { if (g() == 1) reach_error(); return 0; }
