// The guess is read as the type of the object, of which gcc only warns.
int main(void) {
  char x = 3;
  int guess = 259;
  if (__atomic_compare_exchange_n(&x, (void *)&guess, 4, 0, 5, 5)) reach_error();
  return 0;
}
