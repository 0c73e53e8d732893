// Two types of one width.
#ifdef __LP64__
#define OTHER long long
#else
#define OTHER int
#endif
int main(void) { if (_Generic(1L, OTHER: 0, default: 1)) reach_error(); return 0; }
