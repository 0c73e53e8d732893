// The distance in bytes between a struct and the address behind it.
struct s { char c; int i[3]; } g;
int main(void) {
  struct s *p = &g;
  if ((char *)(p + 1) - (char *)p != 16) reach_error();
  return 0;
}
