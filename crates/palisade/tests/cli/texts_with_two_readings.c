// Texts that are easily read as something else: an expression behind `__extension__`, names with `$`, a
// packed enumeration without a tag, aligned bit-fields in packed structs, a requirement that divides.
// run: palisade verify --64 $FILE
// exit: 0
// run: palisade verify --32 --int bv $FILE
// exit: 0
// run: palisade verify -D WRONG $FILE
// exit: 10
// run: palisade verify -D ALIGNED $FILE
// exit: 3
// stderr: a bit-field of a type that is aligned beyond its size
// run: palisade verify --function positive $FILE
// exit: 20
// stdout: RESULT: UNKNOWN(unsupported
extern void reach_error(void);
static int a$$;
static int dollars(void) { int a$_x24_ = 7; a$$ = 1; return a$_x24_; }
enum __attribute__((packed)) { A, B = 3 };
#pragma pack(push, 1)
struct narrow { char a; char b : 3 __attribute__((aligned(8))); } __attribute__((aligned(16)));
#pragma pack(pop)
union bytes { unsigned char c[16]; struct narrow n; };
#ifdef ALIGNED
typedef int A8 __attribute__((aligned(8)));
struct wide { A8 a : 5; A8 b : 5; };
#endif
//@ requires 10 / x > 0;
int positive(int x) { return x > 10; }
int main(void) {
    int x = 1, *p = &x, e[2] = {0};
    { __extension__ x = 5; }
    if (x == 5) {
        __extension__ *p = 6;
        __extension__ e[1] = B;
    }
    union bytes u;
    for (int i = 0; i < 16; i++)
        u.c[i] = 0;
    u.n.b = 3;
#ifdef WRONG
    u.c[1] = 0;
#endif
    if (x != 6 || e[1] != 3 || dollars() != 7 || a$$ != 1 || u.c[1] != 3)
        reach_error();
    return 0;
}
