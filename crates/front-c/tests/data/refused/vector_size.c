// Vectors.
typedef int v4 __attribute__((vector_size(16)));
int main(void) { v4 a = { 1, 2, 3, 4 }; if (a[1] == 2) reach_error(); return 0; }
