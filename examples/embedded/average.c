// The average of two sensor values by the usual formula overflows.
//   palisade verify --check overflow examples/embedded/average.c        RESULT: FALSE(overflow)
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    if (a < 0 || b < 0) return 0;
    int average = (a + b) / 2;
    return average > a;
}
