// check: memory
// expect: FALSE(valid-deref)
// sanitizers: blind, because the variable is on the stack
int main(void) {
  const int limits[2] = {3, 4};
  ((int *)limits)[1]++;
  return limits[1];
}
