// A struct may be larger when it is atomic.
struct s { char c[3]; };
int main(void) {
  _Atomic struct s x;
  if (sizeof x == 3) reach_error();
  return 0;
}
