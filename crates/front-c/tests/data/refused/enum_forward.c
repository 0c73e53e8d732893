// An enum that is used before it is defined, with another type than most.
enum e; int f(enum e *p); enum e { A = -1 }; int main(void) { if ((enum e)-1 < 0) reach_error(); return 0; }
