// Signed arithmetic wraps in this function.
__attribute__((optimize("wrapv"))) int f(int x) { return x + 1 < x; }
int main(void) { if (f(2147483647)) reach_error(); return 0; }
