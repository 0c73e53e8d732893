// Runs before `main`.
int x; void __attribute__((constructor)) init(void) { x = 1; }
int main(void) { if (x) reach_error(); return 0; }
