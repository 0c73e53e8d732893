// A declaration inside a function says that another one is weak.
int main(void) {
  extern void g(void) __attribute__((weak));
  if (!g) reach_error();
  return 0;
}
