// Answers in the words of competitions.
// run: palisade verify --format svcomp --check overflow $FILE
// exit: 10
// last: false(no-overflow)
// run: palisade verify --format svcomp --check assert $FILE
// exit: 0
// last: true
// run: palisade verify --format svcomp --engine bmc --set bmc.bound=2 $DIR/../../../../examples/off_by_one.c
// exit: 20
// last: unknown
// run: palisade verify --format chc $FILE
// exit: 2
// stderr: only Horn clauses are answered as in CHC-COMP
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    int i = 0, j = 0;
    while (i < n) {
        i++;
        j++;
    }
    if (i != j) reach_error();
    return n - 1;
}
