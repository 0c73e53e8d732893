// check: memory
// expect: TRUE
static int limits[2] = {3, 4};

int main(void) {
  const int *p = &limits[1];
  *(int *)p = 5;
  *(int *)&limits[0] = 6;
  return limits[1];
}
