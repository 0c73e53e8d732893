/* Whether the call that is overridden happens is left open. */
static int n;
static int f(void) { n++; return 5; }
int main(void) {
  int a[3] = {[1] = f(), [1] = 3};
  if (a[1] == 3) reach_error();
}
