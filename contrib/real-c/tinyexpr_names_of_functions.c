// expect: true
// library: tinyexpr
/* A function that is found has the name that was asked for. */
#include "harness.h"
#include "tinyexpr.c"

int main(void) {
    char name[3];
    any_string(name, 2);
    __VERIFIER_assume(name[0] >= 'a' && name[0] <= 'z' && name[1] >= 'a' && name[1] <= 'z');
    const te_variable *found = find_builtin(name, 2);
    if (found)
        assert(found->name[0] == name[0] && found->name[1] == name[1] && found->name[2] == 0);
    return 0;
}
