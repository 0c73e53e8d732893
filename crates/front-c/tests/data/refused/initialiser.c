// A static initialiser that reads an object.
static const int a = 3; static int b = a + 1; int main(void) { if (b == 4) reach_error(); return 0; }
