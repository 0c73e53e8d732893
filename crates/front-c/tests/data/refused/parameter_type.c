// The enumerator would be that of the function only.
int A = 3;
static int f(enum { A = 7 } x) { return x + A; }
int main(void) {
  if (f(0) == A) reach_error();
  return 0;
}
