// A struct with an array of variable length.
int main(void) { int n = 3; struct { int a[n]; } s; if (sizeof s == 12) reach_error(); return 0; }
