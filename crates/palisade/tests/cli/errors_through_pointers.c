// A call of an error function is the error, however it is called and whatever the function does.
// run: palisade verify -D CASE=1 $FILE
// exit: 10
// run: palisade verify -D CASE=1 --undefined arbitrary --slice on $FILE
// exit: 10
// run: palisade verify -D CASE=2 $FILE
// exit: 10
// run: palisade verify -D CASE=3 $FILE
// exit: 10
// run: palisade verify -D CASE=4 --check call(f) $FILE
// exit: 10
// run: palisade verify -D CASE=5 --check call(f) $FILE
// exit: 0
// run: palisade verify -D CASE=6 --check call(f) --function f $FILE
// exit: 0
void reach_error(void) {}
int f(void) { return 1; }
struct handlers {
  void (*failed)(void);
} handlers = {reach_error};
int main(void) {
#if CASE == 1
  void (*h)(void) = reach_error;
  h();
#elif CASE == 2
  (0, reach_error)();
#elif CASE == 3
  struct handlers *h = &handlers;
  h->failed();
#elif CASE == 4 // its value has a type
  return f() + (int)sizeof(f());
#elif CASE == 5 // not called
  return sizeof(f());
#endif
  return 0;
}
