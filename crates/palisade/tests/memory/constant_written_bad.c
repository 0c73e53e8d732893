// check: memory
// expect: FALSE(valid-deref)
// The cast is undone by the `*`: it is a write to a constant object all the same.
static const int limits[2] = {3, 4};

int main(void) {
  *(int *)&limits[1] = 5;
  return limits[1];
}
