// run: palisade verify --timeout 20 $FILE
// exit: 0
// last: RESULT: TRUE
extern void reach_error(void);
int main(void) {
  int number = 0x01020304;
  unsigned char *bytes = (unsigned char *)&number;
  if (bytes[0] + bytes[1] + bytes[2] + bytes[3] != 10) reach_error();
  return 0;
}
