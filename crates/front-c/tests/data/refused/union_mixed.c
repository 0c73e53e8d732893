// The pointer has a byte of another member.
union { int *p; struct { char c[2]; int n; } s; } u;
int main(void) {
  int x = 1;
  u.p = &x;
  u.s.c[1] = 4;
  if (u.p == &x) reach_error();
  return 0;
}
