// A function without body may follow a pointer that it knows by name, although nothing else mentions it.
// run: palisade verify --timeout 20 $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on what a function without body may have changed)
extern void reach_error(void);
static int g;
int *p = &g;
void outside(void);

int main(void) {
  g = 1;
  outside();
  if (g != 1) reach_error();
  return 0;
}
