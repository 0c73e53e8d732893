// Text of any content and any length up to seven: loops end by what is read, one after the other.
// run: palisade verify --timeout 60 --certificate $TMP/proof.smt2 $FILE
// exit: 0
// last: RESULT: TRUE
// run: palisade check $FILE $TMP/proof.smt2
// exit: 0
// run: palisade verify --timeout 60 -D WRONG $FILE
// exit: 10
// last: RESULT: FALSE(assert)
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);

static void swap_case(char *s) {
    for (; *s; s++)
        if ((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z')) *s ^= 0x20;
}

int main(void) {
    char s[8], t[8];
    for (int i = 0; i < 7; i++) s[i] = t[i] = (char)__VERIFIER_nondet_uchar();
    s[7] = t[7] = 0;
    swap_case(t);
#ifndef WRONG
    swap_case(t);
#endif
    int i = 0;
    while (s[i] && s[i] == t[i]) i++;
    assert(s[i] == t[i]);
    return 0;
}
