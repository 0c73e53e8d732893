// That a pointer of another translation unit does not lead to a variable of another one is assumed.
// run: palisade verify --undefined arbitrary $FILE
// exit: 0
// stdout: assuming that pointers from outside point to separate objects, or to one of their type
extern void reach_error(void);
extern int count, *where;
int main(void) {
  count = 1;
  if (where) *where = 2;
  if (count != 1) reach_error();
  return 0;
}
