// A format that is not known may have `%n`.
int printf(const char *, ...); int main(void) { int n = 0; char f[] = "ab%n"; printf(f, &n); if (n == 2) reach_error(); return 0; }
