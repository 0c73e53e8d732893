// A function that does not return ends the program, also where its body is not known.
void die(void) __attribute__((noreturn));
_Noreturn void stop(int);
int main(void) {
  int n = 3;
  if (n == 4) { die(); }
  if (n == 5) stop(1);
  CHECK(n == 3)
  return __VERIFIER_nondet_end();
}
void die(void) { for (;;) ; }
void stop(int n) { for (;;) ; }
