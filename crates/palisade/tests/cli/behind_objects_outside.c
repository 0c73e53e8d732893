// Memory that the program did not make may lie behind an object, or before it.
// run: palisade verify "-D CLAIM=getp() != x + 1" $FILE
// exit: 0
// run: palisade verify "-D CLAIM=getp() != x + 2" $FILE
// exit: 20
// run: palisade verify "-D CLAIM=getp() + 1 != x" $FILE
// exit: 20
// run: palisade verify "-D CLAIM=getp()[0] == 0 || getp() != x + n" $FILE
// exit: 20
// run: palisade verify "-D CLAIM=x + 2 != (int *)0x404028" $FILE
// exit: 20
// run: palisade verify "-D CLAIM=table()[0] != x + 2" $FILE
// exit: 20
// run: palisade verify "-D CLAIM=block(n) + n != getp()" $FILE
// exit: 20
// run: palisade verify "-D CLAIM=elsewhere != x" $FILE
// exit: 0
// run: palisade verify "-D CLAIM=elsewhere + 4 != x" $FILE
// exit: 20
// run: palisade verify "-D CLAIM=getp() + 1 != getq()" $FILE
// exit: 20
// run: palisade verify "-D CLAIM=getq() - getp() != 1" $FILE
// exit: 20
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern int *getp(void), *getq(void);
extern int elsewhere[];
extern int **table(void);
static int x[2];

int *block(int n) {
    return malloc(n * sizeof(int));
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 2) return 0;
    if (!(CLAIM)) reach_error();
    return 0;
}
