// A label that only its block knows is an error label, too, if it has the name.
// run: palisade verify --check label(ERROR) -D BOUND=3 $FILE
// exit: 10
// last: RESULT: FALSE(unreach-label)
// run: palisade verify --check label(ERROR) -D BOUND=5 $FILE
// exit: 0
// run: palisade verify --check label(OTHER) -D BOUND=3 $FILE
// exit: 0
extern int __VERIFIER_nondet_int(void);

#define CHECK(c)      \
  ({                  \
    __label__ ERROR;  \
    if (c) goto done; \
  ERROR:;             \
  done:;              \
  })

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 4) return 0;
  CHECK(n < BOUND);
  return 0;
}
