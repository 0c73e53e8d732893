// Qualifiers behind a pointer.
int main(void) { const char *p = 0; if (_Generic(p, char *: 0, default: 1)) reach_error(); return 0; }
