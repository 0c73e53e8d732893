// run: palisade verify --64 $FILE
// exit: 3
// stderr: an array of more than 2^48 bytes
struct huge {
  short cells[(1L << 62) - 256];
  int last;
};

int main(void) { return sizeof(struct huge) == 8; }
