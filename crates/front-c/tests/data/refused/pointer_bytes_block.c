// Two steps over a struct of 12 bytes, the second one beyond its first member.
extern void *malloc(unsigned long);
struct s { char c[8]; int i; };
int main(void) {
  struct s *p = malloc(2 * sizeof(struct s));
  if (!p) return 0;
  char *q = (char *)p + 4;
  q = q + 8;
  if (q != (char *)(p + 1)) reach_error();
  return 0;
}
