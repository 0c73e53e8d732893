// What `printf` returns.
int printf(const char *, ...); int main(void) { if (printf("a\n") == 2) reach_error(); return 0; }
