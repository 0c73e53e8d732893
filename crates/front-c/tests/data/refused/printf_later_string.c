int printf(const char *, ...);
int main(void) {
  char *format = "%s%n";
  int k = 5;
  printf(format, "abc", &k);
  if (k == 3) reach_error();
}
