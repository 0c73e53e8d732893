// Runs at the end of a scope.
int g; void done(int *p) { g = *p; }
int main(void) { { int x __attribute__((cleanup(done))) = 5; } if (g == 5) reach_error(); return 0; }
