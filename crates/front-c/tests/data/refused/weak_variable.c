// Another definition may take its place.
__attribute__((weak)) int level = 4;
int *pointer = &level;
int main(void) { if (*pointer == 4) reach_error(); return 0; }
