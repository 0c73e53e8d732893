// A struct that a function returns, or that `?:` gives, ends with the full expression that it stands in (C11
// 6.2.4p8), and pointers to its arrays with it.
// run: palisade verify -D CASE=1 $FILE
// exit: 20
// last: RESULT: UNKNOWN(undefined behaviour: access outside an object, or to one that has ended, $FILE:38:7)
// run: palisade verify -D CASE=2 $FILE
// exit: 20
// last: RESULT: UNKNOWN(undefined behaviour: access outside an object, or to one that has ended, $FILE:43:7)
// run: palisade verify -D CASE=3 $FILE
// exit: 20
// last: RESULT: UNKNOWN(undefined behaviour: access outside an object, or to one that has ended, $FILE:47:12)
// run: palisade verify -D CASE=4 --check memory $FILE
// exit: 10
// run: palisade verify -D CASE=6 $FILE
// exit: 20
// stdout: undefined behaviour
// run: palisade verify -D CASE=7 $FILE
// exit: 20
// stdout: undefined behaviour
// run: palisade verify -D CASE=5 $FILE
// exit: 0
// run: palisade verify -D CASE=5 --check memory $FILE
// exit: 0
extern void reach_error(void);
struct s { int n; int a[2]; };
struct s make(int x) {
  struct s s = {x, {x, 2}};
  return s;
}
int first(const int *p) { return p[0]; }
int choice(void);

int main(void) {
  struct s s = {0, {3, 4}}, t = make(5);
  int *p, k = choice() != 0;
#if CASE == 1
  p = make(1).a;
  if (*p != 1) reach_error();
#elif CASE == 2
  int *q = (k ? s : t).a;
  make(7);
  p = q;
  if (*p < 3) reach_error();
#elif CASE == 3
  for (p = s.a; *(p = make(1).a) == 2;)
    ;
  if (k && *p != 1) reach_error();
#elif CASE == 4
  while ((p = make(k).a)[0] == 2)
    ;
  return *p;
#elif CASE == 5
  for (int i = 0; i < 3; i++) {
    if (first(make(i).a) != i) reach_error();
    if (*(p = make(i).a) != i || p[1] != 2 || make(i).a[1] != 2) reach_error();
    do
      k = (make(i).n, *make(i).a);
    while (make(k).a[0] != i);
    switch (*make(i).a) {
    case 1: k = 4;
    }
    int length = make(2).a[0] + first((k ? s : t).a);
    if (length != 5 && length != 7) reach_error();
    if (first((s = make(8)).a) != 8 || s.a[0] != 8) reach_error();
    s = make(0);
    s.a[0] = 3;
    if (first(({ s; }).a) != 3) reach_error();
  }
#elif CASE == 6
  // gcc lets it point to `s`, clang to a copy.
  p = (s = make(1)).a;
  s.a[0] = 5;
  if (*p != 5) reach_error();
#elif CASE == 7
  *(s = make(1)).a = 5;
  if (s.a[0] != 5) reach_error();
#endif
}
