// Compilers go on with another number, unseen by their sanitizers.
int main(void) {
  if ((unsigned)(2147483647 + 2) != 5) reach_error();
  return 0;
}
