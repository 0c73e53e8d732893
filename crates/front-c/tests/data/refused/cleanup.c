// Whether `g` is read before the end of the scope is open.
int g; void done(int *p) { g = *p; }
int main(void) { if (({ int x __attribute__((cleanup(done))) = 5; 0; }) + g == 5) reach_error(); return 0; }
