// Compilers differ about the order of constructors of equal priority that call what is defined later, whose
// address is taken, or that were declared with a priority before.
// run: palisade verify $FILE
// exit: 0
// run: palisade verify -D LATER $FILE
// exit: 3
// stderr: whose order depends on the compiler
// run: palisade verify -D HELPER $FILE
// exit: 3
// stderr: whose order depends on the compiler
// run: palisade verify -D TAKEN $FILE
// exit: 3
// stderr: whose order depends on the compiler
// run: palisade verify -D DECLARED $FILE
// exit: 3
// stderr: whose order depends on the compiler
extern void reach_error(void);
int log;
#ifdef DECLARED
#define FIRST __attribute__((constructor(200)))
#else
#define FIRST __attribute__((constructor))
#endif
static void note(int k) { log = log * 10 + k; }
void later(int k);
FIRST void second(void);
#ifdef HELPER
static void through(void) {
  if (log > 100) later(4);
}
#endif

FIRST void first(void) {
  note(1);
#ifdef LATER
  if (log > 100) second();
#elif defined HELPER
  through();
#endif
}
FIRST void second(void) { note(2); }
#ifdef TAKEN
void (*taken)(void) = second;
#endif
void later(int k) { note(k); }
__attribute__((constructor(101))) static void alone(void) { later(3); }

int main(void) {
  if (log != 312) reach_error();
  return 0;
}
