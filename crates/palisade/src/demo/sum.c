#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    int x = 0, y = 0;
    while (x < n) {
        x++;
        y++;
    }
    assert(x == y);
    return 0;
}
