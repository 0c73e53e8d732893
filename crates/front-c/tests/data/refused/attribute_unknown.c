// Nobody knows what it does.
int x __attribute__((flub)); int main(void) { if (!x) reach_error(); return 0; }
