// The length of an array parameter is evaluated at each call.
void f(int a, int b[a++]) { if (a == 2) reach_error(); }
int main(void) { int e[3]; f(1, e); return 0; }
