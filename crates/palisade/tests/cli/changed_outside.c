// What a function without body is given may be anything afterwards, and stays that until it is written.
// run: palisade verify --timeout 20 $FILE
// exit: 0
// stdout: assuming that functions without a body use pointers only as C allows
// last: RESULT: TRUE
// run: palisade verify --timeout 20 -D WRONG $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on what a function without body may have changed)
// run: palisade verify --timeout 20 -D EXPORTED $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on what a function without body may have changed)
// run: palisade verify --timeout 20 -D POINTER $FILE
// exit: 20
// stdout: may have been changed by a function without body
// run: palisade verify --timeout 20 --int bv $FILE
// exit: 0
// last: RESULT: TRUE
extern void reach_error(void);
extern void read_sensor(int *value);
extern int receive(unsigned char *bytes, unsigned count);
struct device { int state; int *next; };
extern void start(struct device *d);
int known;
static int own;

int main(void) {
  int value = 0;
  read_sensor(&value);
  if (value > 100) value = 100;
  if (value < 0) value = 0;
  if (value > 100 || value < 0) reach_error();
  unsigned char bytes[4] = { 0 };
  receive(bytes, 4);
  if (bytes[0] + bytes[3] > 510) reach_error();
  struct device d = { 3, &own };
  start(&d);
  int first = d.state, second = d.state;
  if (first != second) reach_error();
  d.state = 2;
  known = 1;
#ifdef POINTER
  if (*d.next != 0) reach_error();
#endif
#ifdef EXPORTED
  read_sensor(&value);
#endif
  if (d.state != 2 || known != 1) reach_error();
#ifdef WRONG
  if (value == 7) reach_error();
#endif
  return 0;
}
