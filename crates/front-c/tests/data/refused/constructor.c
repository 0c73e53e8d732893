// glibc passes the arguments of `main`.
int x; void __attribute__((constructor)) init(int argc, char **argv) { x = argc; }
int main(void) { if (x) reach_error(); return 0; }
