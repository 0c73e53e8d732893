// Two names of one object.
int x; extern int y __attribute__((alias("x")));
int main(void) { x = 3; if (y == 3) reach_error(); return 0; }
