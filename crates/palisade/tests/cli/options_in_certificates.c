// What the program means depends on the options; the certificate says which.
// run: palisade verify --int math --certificate $TMP/proof.smt2 $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade check $FILE $TMP/proof.smt2
// exit: 0
// last: RESULT: TRUE
// stderr: the certificate is for int=math signed=undefined width=32 check=assert
// run: palisade check --int math --32 --check assert $FILE $TMP/proof.smt2
// exit: 0
// last: RESULT: TRUE
// run: palisade check --int bv $FILE $TMP/proof.smt2
// exit: 2
// stderr: --int contradicts
// run: palisade check --check overflow $FILE $TMP/proof.smt2
// exit: 2
// stderr: --property or --check contradicts
// run: palisade verify --engine bmc --int bv --64 --check call(reach_error) --certificate $TMP/run.json --harness $TMP/harness.c $FILE
// exit: 10
// last: RESULT: FALSE(unreach-call)
// run: palisade check $FILE $TMP/run.json
// exit: 10
// last: RESULT: FALSE(unreach-call)
// stderr: int=bv signed=undefined width=64 check=call(reach_error)
// run: palisade check --64 $FILE $TMP/run.json
// exit: 10
// run: palisade check --32 $FILE $TMP/run.json
// exit: 2
// stderr: --32 contradicts
// run: palisade verify --harness $TMP/harness.c $DIR/safe_horn.smt2
// exit: 2
// stderr: --harness: only
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned int x = 0;
    unsigned int n = __VERIFIER_nondet_uint();
    while (__VERIFIER_nondet_uint())
        x = x + n;
    if (n > 0 && x > 0 && x + n < n)
        reach_error();
    return 0;
}
