// What a flag holds that is neither set nor clear: compilers disagree.
// run: palisade verify $FILE
// exit: 0
// run: palisade verify -D OTHER $FILE
// exit: 20
// stdout: an atomic flag that is neither 0 nor 1
extern void reach_error(void);
int main(void) {
#ifdef OTHER
  unsigned char flag = 251;
  if ((int)__atomic_test_and_set(&flag, 0) != 1) reach_error();
#else
  unsigned char flag = 0;
  if (__atomic_test_and_set(&flag, 0)) reach_error();
  if (!__atomic_test_and_set(&flag, 0) || flag != 1) reach_error();
#endif
}
