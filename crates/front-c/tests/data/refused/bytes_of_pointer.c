// The bytes of an address are not known.
int main(void) {
  int x = 0, *p = &x;
  unsigned char *q = (unsigned char *)&p;
  if (q[0] == q[0]) reach_error();
  return 0;
}
