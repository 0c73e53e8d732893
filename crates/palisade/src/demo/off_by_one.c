#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int length = __VERIFIER_nondet_int();
    if (length < 1 || length > 5)
        return 0;
    int i = 0;
    while (i <= length) {
        assert(i < length);
        i++;
    }
    return 0;
}
