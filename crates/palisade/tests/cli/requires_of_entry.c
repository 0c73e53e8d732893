// What is assumed or not read is told.
// run: palisade verify --function f $FILE
// exit: 0
// stdout: assuming that `f` is first called as its `requires` says at $FILE:9
// stdout: assuming nothing of annotations in headers, which are not checked either, at $DIR/inc/annotated.h:1
// last: RESULT: TRUE
#include <assert.h>
#include "inc/annotated.h"
//@ requires a > 0;
int f(int a) { assert(a != 0); return g(a); }
