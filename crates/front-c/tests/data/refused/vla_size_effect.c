/* The operand of `sizeof` is evaluated, since its type has a variable length. */
int main(void) {
  int n = 2, i = 0;
  int a[n][n];
  int size = sizeof(a[i++]);
  if (size == 8 && i == 1) reach_error();
}
