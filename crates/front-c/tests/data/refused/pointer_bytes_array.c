// The distance in bytes from a member to the next struct of an array. It is 8, so the error is unreachable.
struct s { char c[8]; int i; } a[2];
int main(void) {
  if ((char *)&a[1] - &a[0].c[4] != 8) reach_error();
  return 0;
}
