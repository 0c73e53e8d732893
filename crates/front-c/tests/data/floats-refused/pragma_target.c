// Another unit computes.
#pragma GCC target("fpmath=387")
int f(double a, double b) { return a * b / b == a; }
int main(void) { if (f(1e200, 1e200)) reach_error(); return 0; }
