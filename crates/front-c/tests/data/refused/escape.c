// A universal character name.
char s[] = "\u00e9"; int main(void) { if (sizeof s == 3) reach_error(); return 0; }
