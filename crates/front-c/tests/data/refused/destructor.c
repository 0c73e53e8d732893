// Runs after `main`.
void end(void) __attribute__((destructor));
void end(void) { reach_error(); }
int main(void) { return 0; }
