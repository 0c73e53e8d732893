// Atomic operations.
int x; int main(void) { if (__sync_fetch_and_add(&x, 1) == 0) reach_error(); return 0; }
