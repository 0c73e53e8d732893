// One object per thread.
_Thread_local int x; int main(void) { if (!x) reach_error(); return 0; }
