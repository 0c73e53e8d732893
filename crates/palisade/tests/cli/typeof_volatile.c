// `typeof` keeps `volatile`, also of what a pointer leads to, of elements and of members.
// run: palisade verify $FILE
// exit: 20
// run: palisade verify -D ADDRESS $FILE
// exit: 20
// run: palisade verify -D ELEMENT $FILE
// exit: 20
// run: palisade verify -D MEMBER $FILE
// exit: 20
// run: palisade verify -D CHANGED $FILE
// exit: 20
// run: palisade verify -D PLAIN $FILE
// exit: 0
extern void reach_error(void);
volatile int device, row[3];
volatile int *registers = &device;
struct port { volatile int state; int count; } port;
static struct port *port_of(void) { return &port; }

int main(void) {
  int i = 0, plain = 2, *p = &plain;
#ifdef ADDRESS
  __typeof__(*&device) c = 1;
#elif defined ELEMENT
  __typeof__(row[i + 1]) c = 1;
#elif defined MEMBER
  struct { __typeof__(port_of()->state) m; } s = { 1 };
  int c = s.m;
#elif defined CHANGED
  typedef __typeof__(device++) same;
  same c = 1;
#elif defined PLAIN
  __typeof__(*p) a = 1;
  __typeof__(port_of()->count + device) b = 1;
  __typeof__(p[i + 1]++) c = a * b;
#else
  __typeof__(*registers) c = 1;
#endif
  if (c != 1) reach_error();
  return 0;
}
