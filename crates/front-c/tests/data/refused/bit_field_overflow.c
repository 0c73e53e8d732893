// Whether this overflows depends on the type of a bit-field that is wider than `int`.
struct s { long long a : 33; };
int main(void) {
  struct s s = { 0xffffffffLL };
  ++s.a;
  if (s.a < 0) reach_error();
  return 0;
}
