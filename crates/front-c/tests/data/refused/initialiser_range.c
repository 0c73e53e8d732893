/* The call happens once. */
static int n;
static int f(void) { n++; return 5; }
int main(void) {
  int a[3] = {[0 ... 2] = f()};
  if (n == 1 && a[2] == 5) reach_error();
}
