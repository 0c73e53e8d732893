/* gcc sets the rest of `p` to zero, clang keeps it. */
struct point { int x, y; };
struct line { struct point p; int k; };
int main(void) {
  struct point v = {4, 5};
  struct line l = {.p = v, .p.y = 9};
  if (l.p.x == 0 || l.p.y == 9) reach_error();
}
