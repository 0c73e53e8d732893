// A function that is called in any state finds any number in a union, the same in all its members.
// run: palisade verify --function pointed $FILE
// exit: 0
// run: palisade verify --function global $FILE
// exit: 0
// run: palisade verify --function member $FILE
// exit: 0
// run: palisade verify --function value $FILE
// exit: 0
// run: palisade verify --function any $FILE
// exit: 10
// run: palisade verify --function other $FILE
// exit: 20
// last: RESULT: UNKNOWN(unsupported: read of a union member that was not written last, $FILE:30:23)
extern void reach_error(void);
typedef union {
  unsigned word;
  struct { unsigned low : 16, high : 16; } part;
  unsigned char byte[4];
} reg;
struct message { int kind; union { int i; short s[2]; } u; };
struct tagged { int kind; union { int i; char *p; } u; };
reg g;
void pointed(reg *r) { if (r->part.low != (r->word & 0xffff)) reach_error(); }
void global(void) { if (g.byte[0] != (g.word & 0xff)) reach_error(); }
void member(struct message *m) { if (m->u.s[0] == 3 && (m->u.i & 0xffff) != 3) reach_error(); }
void value(reg r) { if (r.byte[3] != r.word >> 24) reach_error(); }
void any(struct message *m) { if (m->u.s[1] == 3) reach_error(); }
void other(struct tagged *t) {
  if (t->kind == 1 && t->u.p) reach_error();
}
int main(void) { return 0; }
