int sum(int n, int a[n][n]) { return a[1][0]; }
int main(void) { int a[2][2] = { { 1, 2 }, { 3, 4 } }; if (sum(2, a) == 3) reach_error(); return 0; }
