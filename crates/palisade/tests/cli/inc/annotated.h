//@ ensures \result == 7;
static inline int g(int a) { return a; }
