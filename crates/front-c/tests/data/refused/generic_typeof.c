// Whether the type has a qualifier depends on an expression.
int main(void) {
  const int k = 1; int x = 2;
  if (_Generic(x, __typeof__(k): 0, default: 1)) reach_error();
  return 0;
}
