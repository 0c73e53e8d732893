// run: palisade verify $FILE
// exit: 3
// stderr: reserved_name.c:4: names that begin with
int __palisade_woven_61;
int main(void) { return 0; }
