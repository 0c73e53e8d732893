// A pointer made of bytes.
static int x = 5, *p = &x, *q;
int main(void) {
  char copy[sizeof p];
  for (unsigned i = 0; i < sizeof p; i++) copy[i] = ((char *)&p)[i];
  for (unsigned i = 0; i < sizeof p; i++) ((char *)&q)[i] = copy[i];
  if (*q == 5) reach_error();
  return 0;
}
