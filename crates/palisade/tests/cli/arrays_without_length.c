// How long an array is: as its last declaration says, one element if none says it, as many as a flexible member
// has initialisers. Where nobody knows, nothing is said about what is behind.
// run: palisade verify --check memory -D ACCESS='later[i]' $FILE
// exit: 10
// last: RESULT: FALSE(valid-deref)
// run: palisade verify --check memory -D ACCESS='later[i-1]' $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade verify --check memory -D ACCESS='one[i-2]' $FILE
// exit: 10
// last: RESULT: FALSE(valid-deref)
// run: palisade verify --check memory -D ACCESS='one[i-3]' $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade verify --check memory -D ACCESS='open.all[i-1]' $FILE
// exit: 20
// stdout: unsupported: the length of `open`
// run: palisade verify --check memory -D ACCESS='open.all[i-2]' $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade verify --check memory -D ACCESS='elsewhere[i]' $FILE
// exit: 20
// stdout: unsupported: the length of `elsewhere`
// run: palisade verify --check memory -D ACCESS='*pointer' $FILE
// exit: 20
// stdout: unsupported: the length of `elsewhere`
// run: palisade verify -D ACCESS='*pointer' $FILE
// exit: 0
// stdout: assuming that arrays whose length is not known are long enough
// run: palisade verify -D ACCESS='elsewhere[i]' $FILE
// exit: 0
// stdout: assuming that arrays whose length is not known are long enough
int later[], one[];
extern int elsewhere[];
static struct {
  int count, all[];
} open = {2, {5, 0}};

int main(void) {
  int i = 3;
  int *pointer = elsewhere + i;
  int x = ACCESS;
  return 0;
}

int later[3];
