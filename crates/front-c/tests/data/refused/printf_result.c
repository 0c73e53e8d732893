// What `printf` returns.
int printf(const char *, ...); int main(void) { if (printf("%d\n", 5) == 2) reach_error(); return 0; }
