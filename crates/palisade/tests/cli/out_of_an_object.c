// The address of a member of an object that is too small for it leads out of the object, and again in each
// round: what is outside is one part for the points-to analysis, which must come to an end.
// run: palisade verify $FILE
// exit: 0
// run: palisade verify -D CASE=2 $FILE
// exit: 10
extern int __VERIFIER_nondet_int(void);
extern void __assert_fail(const char *, const char *, unsigned, const char *);
#define assert(c) ((c) ? (void)0 : __assert_fail(#c, "", 0, ""))

struct pair {
    int a, b;
};

#if CASE == 2
enum { MOST = 2 };
#else
enum { MOST = 3 };
#endif

int main(void) {
    int x = 1, rounds = 0;
    void *p = &x;
    while (rounds < 3 && __VERIFIER_nondet_int()) {
        p = &((struct pair *)p)->b;
        rounds++;
    }
    assert(rounds <= MOST && x == 1);
    return 0;
}
