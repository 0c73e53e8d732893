/* The function can change `x`. */
struct s { int n; struct { int *p[2]; } in; };
void extern_function(struct s);
int main(void) {
  int x = 0;
  struct s v = {1, {{0, &x}}};
  extern_function(v);
  if (x == 0) reach_error();
}
