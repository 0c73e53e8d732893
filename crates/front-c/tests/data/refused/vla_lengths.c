/* Which length is evaluated first is left open. */
static int k;
static int next(void) { return ++k; }
int main(void) {
  int a[next()][next()];
  a[0][0] = 1;
  reach_error();
}
