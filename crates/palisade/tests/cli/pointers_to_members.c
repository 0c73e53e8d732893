// A pointer to a member of a struct moves over its neighbours; what it reaches there is not known.
// run: palisade verify $FILE
// exit: 0
// run: palisade verify -D NEXT_MEMBER $FILE
// exit: 20
// run: palisade verify --undefined arbitrary -D NEXT_MEMBER $FILE
// exit: 20
// run: palisade verify --check memory -D OVER_MEMBERS $FILE
// exit: 20
// run: palisade verify --undefined arbitrary -D ROWS $FILE
// exit: 20
// run: palisade verify --undefined arbitrary -D ALL_ROWS $FILE
// exit: 20
extern void reach_error(void);
struct pair {
  int a, b;
} t[3];
int rows[2][2];
int main(void) {
#if defined NEXT_MEMBER
  int *p = &t[0].a;
  p[1] = 7;
  if (t[0].b == 7) reach_error();
#elif defined OVER_MEMBERS
  t[0].a = t[0].b = t[1].a = t[2].a = t[2].b = 1;
  int *p = &t[0].a;
  while (*p) p++;
#elif defined ROWS
  (&rows[0][0])[3] = 9;
  if (rows[1][1] == 9) reach_error();
#elif defined ALL_ROWS
  for (int i = 0; i < 4; i++) rows[i / 2][i % 2] = i;
  for (int i = 0; i < 4; i++)
    if ((&rows[0][0])[i] != i) reach_error();
#else
  struct pair *p = t;
  int *q = &t[1].b;
  (p + 1)->b = 3;
  if (*q != 3) reach_error();
#endif
}
