// Places in witnesses are those of the program, also where an assertion has macros inside, and where a proof
// is about loops in the model of a library function.
// run: palisade verify --64 --witness $TMP/proof.yml $FILE
// exit: 0
// run: palisade validate $TMP/proof.yml $FILE
// exit: 0
// run: palisade verify --64 --function wrong --witness $TMP/run.yml $FILE
// exit: 10
// stdout: places_in_witnesses.c:23:5: assert(
// run: palisade validate $TMP/run.yml $FILE
// exit: 10
// run: palisade verify --64 --function outside --check memory --witness $TMP/outside.yml $FILE
// exit: 10
#include <assert.h>
#include <errno.h>
#include <string.h>
#define LIMIT 5
#define EQUAL(a, b) (memcmp(a, b, LIMIT) == 0)

void wrong(void) {
    int n = 3;
    errno = 0;
    assert(n == LIMIT || errno == ERANGE); assert(n == 3);
}

void outside(void) {
    char text[LIMIT - 1];
    memset(text, 0, LIMIT);
}

int main(void) {
    char a[LIMIT] = {1, 2, 3}, b[LIMIT] = {1, 2, 3};
    assert(EQUAL(a, b));
    return 0;
}
