// A text that counts as preprocessed has no directives but line markers and pragmas.
// run: palisade verify $FILE
// exit: 3
// stderr: `#if` in a text that counts as preprocessed
extern void reach_error(void);
int main(void) {
    int x = 0;
#if 1
    x = 2;
#else
    x = 3;
#endif
    if (x == 2)
        reach_error();
    return 0;
}
