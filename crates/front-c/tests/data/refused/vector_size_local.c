/* In a function: the compiler must not be asked about what is refused. */
int main(void) {
  __attribute__((vector_size(16))) short v = { 1, 2, 3, 4, 5, 6, 7, 8 };
  short *p = (short *)&v;
  int n = sizeof(v) + (v + v)[1];
  if (p[1] == 2 && n == 20) reach_error();
}
