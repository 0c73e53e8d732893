// An address that is stored in memory of a function without body is known to all such functions.
// run: palisade verify $FILE
// exit: 20
// run: palisade verify --undefined arbitrary $FILE
// exit: 20
// stdout: what a function without body may have changed
// run: palisade verify --undefined arbitrary --slice on $FILE
// exit: 20
// stdout: what a function without body may have changed
extern void reach_error(void);
int **place(void);
void outside(void);

int main(void) {
  int x = 1;
  int **p = place();
  *p = &x;
  outside();
  if (x != 1) reach_error();
  return 0;
}
