/* `float` and `_Float32` are different types. */
int main(void) {
  float f = 0;
  if (_Generic(f, _Float32: 1, default: 2) == 2) reach_error();
}
