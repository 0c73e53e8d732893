// A function without body is the verifier's `assume` or `assert` where it is declared without a result, and
// decides by its parameter: bits that this has no room for are lost.
// run: palisade verify -D ORDINARY $FILE
// exit: 10
// last: RESULT: FALSE(unreach-call)
// run: palisade verify -D UNDECLARED $FILE
// exit: 10
// last: RESULT: FALSE(unreach-call)
// run: palisade verify -D OURS $FILE
// exit: 0
// stdout: that `assume` without a body returns only if its argument is not zero
// last: RESULT: TRUE
// run: palisade verify -D CUT $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade verify -D CUT --int bv $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade verify -D LONG $FILE
// exit: 10
// last: RESULT: FALSE(unreach-call)
// run: palisade verify -D FRACTION --int bv $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade verify -D ASSERTED $FILE
// exit: 10
// last: RESULT: FALSE(assert)
// run: palisade verify -D NO_ASSERTION $FILE
// exit: 20
// stdout: call of `assert`
// run: palisade verify -D WIDTHS $FILE
// exit: 0
// last: RESULT: TRUE
void reach_error(void);
int __VERIFIER_nondet_int(void);

#ifdef ORDINARY
int assume(int);
#elif defined CUT || defined FRACTION
void __VERIFIER_assume(int);
#elif defined LONG
void assume(long long);
#elif defined OURS
void assume(_Bool);
#elif defined ASSERTED
void __VERIFIER_assert(int);
#elif defined NO_ASSERTION
int assert(int);
#elif defined WIDTHS
unsigned nondet_int(void);
unsigned char __nondet_int(void);
#endif

int main(void) {
    long long big = 1LL << 32;
#if defined ORDINARY || defined UNDECLARED || defined OURS
    int x = __VERIFIER_nondet_int();
    assume(x > 0);
    if (x <= 0) reach_error();
#elif defined CUT
    __VERIFIER_assume(big);
    reach_error();
#elif defined FRACTION
    __VERIFIER_assume(0.5);
    reach_error();
#elif defined LONG
    assume(big);
    reach_error();
#elif defined ASSERTED
    __VERIFIER_assert(big);
#elif defined NO_ASSERTION
    if (assert(0)) reach_error();
#elif defined WIDTHS
    unsigned x = nondet_int();
    if (x + 1 == 0 && x < 5) reach_error();
    if (__nondet_int() > 255) reach_error();
#endif
    return 0;
}
