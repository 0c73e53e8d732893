// A name that is nowhere in the program gives a proof, and a note.
// run: palisade verify --check "call(report_error)" $FILE
// exit: 0
// stdout: note: as it was translated, the program has no place where the property could be violated
extern void reach_error(void);

int main(void) {
    reach_error();
    return 0;
}
