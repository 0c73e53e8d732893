// Atomic objects.
_Atomic(int) x; int main(void) { if (!x) reach_error(); return 0; }
