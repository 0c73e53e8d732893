// What a pointer to `volatile` from outside leads to may change by itself; what the program owns does not.
// run: palisade verify --function parameter $FILE
// exit: 20
// last: RESULT: UNKNOWN(depends on a `volatile` object that changes by itself)
// run: palisade verify --function array $FILE
// exit: 20
// run: palisade verify --function structure $FILE
// exit: 20
// run: palisade verify --function member $FILE
// exit: 20
// run: palisade verify --function global $FILE
// exit: 20
// run: palisade verify --function part $FILE
// exit: 20
// run: palisade verify --function waits $FILE
// exit: 20
// run: palisade verify --function returned $FILE
// exit: 20
// run: palisade verify --function registers $FILE
// exit: 20
// run: palisade verify --function typedefs $FILE
// exit: 20
// run: palisade verify --function own $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade verify --function plain $FILE
// exit: 0
// run: palisade verify --function computed $FILE
// exit: 10
// run: palisade verify --function untouched $FILE
// exit: 0
extern void reach_error(void);
typedef volatile unsigned reg_t;
typedef volatile unsigned *place_t;
struct device { volatile unsigned *registers; };
struct block { unsigned status; unsigned data[2]; };
struct usart { volatile unsigned status; unsigned reserved; volatile unsigned data; };
volatile unsigned *global_register;
extern volatile unsigned *find(void);
extern struct usart *find_usart(void);
int owned = 3;

#define TWICE(e) { unsigned a = (e), b = (e); if (a != b) reach_error(); }
void parameter(volatile unsigned *p) TWICE(*p)
void array(volatile unsigned p[2]) TWICE(p[1])
void structure(volatile struct block *p) TWICE(p->data[1])
void member(struct device *d) TWICE(d->registers[0])
void global(void) TWICE(*global_register)
static unsigned read(volatile unsigned *p) { return *p; }
void part(volatile struct block *p) TWICE(read(&p->status) + read(p->data))
void waits(volatile struct block *p) { p->status = 1; while (p->status == 1) {} reach_error(); }
void returned(void) { volatile unsigned *p = find(); if (p) TWICE(*p) }
void registers(void) { struct usart *p = find_usart(); if (p) TWICE(p->data) }
void typedefs(reg_t *p, place_t q) { if (*p == *p) TWICE(*q) }
void own(void) { int x = 1; volatile int *p = &x; *p = 2; if (*p != 2 || x != 2) reach_error(); }
void plain(unsigned *p) TWICE(*p)
void computed(unsigned i) TWICE(((struct usart *)(0x40000000u + 0x400 * (i & 3)))->status)
void untouched(unsigned i) {
  int before = owned;
  *(volatile unsigned *)(0x48000000u + 4 * (i & 7)) = i;
  if (owned != before) reach_error();
}
int main(void) { return 0; }
