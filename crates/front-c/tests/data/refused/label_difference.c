// How far labels are from each other is known to nobody.
int main(void) {
  long d = (char *)&&b - (char *)&&a;
  int k = 0;
a:
  k++;
b:
  if (d != 0) reach_error();
  return k;
}
