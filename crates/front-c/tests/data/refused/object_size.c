// A builtin whose value depends on the optimiser.
int main(void) { char a[3]; if (__builtin_object_size(a, 0) == 3) reach_error(); return 0; }
