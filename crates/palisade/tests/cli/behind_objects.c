// Another object may lie behind one: behind a member of a union that ends it, behind an array of variable
// length, at a part without bytes, behind the elements of a flexible array.
// run: palisade verify $FILE
// exit: 0
// run: palisade verify -D WRONG $FILE
// exit: 10
// run: palisade verify "-D OTHER=(void *)&empty.e == (void *)&y" $FILE
// exit: 20
// run: palisade verify "-D OTHER=(void *)none.t == (void *)&y" $FILE
// exit: 20
// run: palisade verify "-D OTHER=some.t + 3 == &y" $FILE
// exit: 20
// run: palisade verify "-D OTHER=u.a + 2 == &y" --int bv $FILE
// exit: 20
// run: palisade verify "-D OTHER=tagged[1].s.a + 2 == &y" $FILE
// exit: 20
// run: palisade verify "-D OTHER=v + n == w" $FILE
// exit: 20
// run: palisade verify "-D OTHER=w + n != v" $FILE
// exit: 20
// run: palisade verify "-D OTHER=&rows[n - 1][2] == w" $FILE
// exit: 20
// run: palisade verify "-D OTHER=block[0]->a + 2 == block[1]->a" $FILE
// exit: 20
extern void reach_error(void);
extern void *malloc(__SIZE_TYPE__);
union u { int a[2]; char c[8]; };
static struct { int n; struct {} e; } empty;
static struct { int n; int t[]; } none = {1}, some = {3, {1, 2, 3}};
static union { struct { int *p; int a[2]; } s; int *q; } tagged[2];
static struct { int n; struct {} e; int m; } inner;
static union u u;
static int y;
static char z;

int main(void) {
  int n = 4;
  int v[n], w[n], rows[n][2];
  union u *block[2];
  for (int i = 0; i < 2; i++) block[i] = malloc(sizeof(union u));
#ifdef OTHER
  if (OTHER) reach_error();
#else
  if (u.a == &y || u.c == &z || u.a + 1 == &y) reach_error();
  if (tagged[0].s.a + 1 == &y || &tagged[1].q == (int **)&y) reach_error();
  if (v + 1 == w || v == w || &rows[1][0] == v) reach_error();
  if (some.t == &y || some.t + 2 == &y) reach_error();
  if ((void *)&inner.e == (void *)&y) reach_error();
  if (block[0]->a == block[1]->a || block[0]->c == &z) reach_error();
#ifdef WRONG
  if (u.a + 1 != &y) reach_error();
#endif
#endif
}
