// What a function without body returns may be seen as more than one type: a read there gives any value, and a
// violation that follows is open. A proof may use what does not depend on it, but a pointer that was stored as
// a number is a pointer when it is read.
// run: palisade verify --64 --undefined arbitrary $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade verify --64 --undefined arbitrary -D BYTES $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on memory that the program did not allocate, seen as two types)
// run: palisade verify --64 --undefined arbitrary -D ORDER $FILE
// exit: 20
// run: palisade verify --64 --undefined arbitrary -D HIDDEN $FILE
// exit: 20
// run: palisade verify --64 --undefined arbitrary -D UNION $FILE
// exit: 20
// run: palisade verify --64 --undefined arbitrary -D BEHIND $FILE
// exit: 20
// run: palisade verify --64 --undefined arbitrary -D MEMBER $FILE
// exit: 20
extern void reach_error(void);
extern void *outside(void);
struct device {
  int state;
  char name[4];
  struct device *next;
};
int total;
int main(void) {
  struct device *d = (struct device *)outside();
#if !defined UNION && !defined BEHIND && !defined MEMBER
  unsigned char *bytes = (unsigned char *)d;
  long *words = (long *)d;
#endif
  if (!d) return 0;
#if defined BYTES
  // With little end first this is 2.
  d->state = 1;
  bytes[0] = 2;
  if (d->state == 2) reach_error();
#elif defined ORDER
  // The same place, with gcc.
  if (bytes + 4 == (unsigned char *)d->name) reach_error();
#elif defined HIDDEN
  words[1] = (long)&total;
  total = 0;
  *(int *)d->next = 1;
  if (total == 1) reach_error();
#elif defined UNION
  union {
    int *numbers;
    char *letters;
  } u;
  u.numbers = (int *)outside();
  if (!u.numbers) return 0;
  *u.numbers = 0;
  *u.letters = 1;
  if (*u.numbers != 0) reach_error();
#elif defined BEHIND
  int **p = (int **)outside();
  if (!p || !*p) return 0;
  char **q = (char **)p;
  **p = 0;
  **q = 1;
  if (**p != 0) reach_error();
#elif defined MEMBER
  char *from = (char *)&d->state;
  d->name[0] = 0;
  from[4] = 1;
  if (d->name[0] != 0) reach_error();
#else
  bytes[0] = 7;
  words[0] = 3;
  if (d->state > 0) total = 5;
  if (total != 0 && total != 5) reach_error();
#endif
  return 0;
}
