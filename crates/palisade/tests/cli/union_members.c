// run: palisade verify --timeout 20 $FILE
// exit: 0
// last: RESULT: TRUE
extern void reach_error(void);
union { unsigned number; unsigned char bytes[4]; } u;
int main(void) {
  u.number = 0x01010101;
  if (u.bytes[2] != 1) reach_error();
  return 0;
}
