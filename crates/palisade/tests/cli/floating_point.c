// run: palisade verify --timeout 20 $FILE
// exit: 0
// last: RESULT: TRUE
extern void reach_error(void);
int main(void) {
  double half = 0.5;
  if (half + half != 1.0) reach_error();
  return 0;
}
