; Wrong usage is told before anything is done.
; run: palisade verify --engine nonesuch $FILE
; exit: 2
; stderr: there is no engine `nonesuch`; there are:
; run: palisade verify --set bmc.bund=3 $FILE
; exit: 2
; stderr: there is no option `bmc.bund`
; run: palisade verify --set bmc.bound=many $FILE
; exit: 2
; stderr: is not a value for option `bmc.bound`
; run: palisade verify --timeout 0 $FILE
; exit: 2
; stderr: positive number of seconds
; run: palisade verify --json $TMP/no/such/folder/x.json $FILE
; exit: 2
; stderr: cannot write
; run: palisade verify --trace $TMP/no/such/folder/x.jsonl $FILE
; exit: 2
; stderr: cannot write
; run: palisade verify --solver "no-such-solver -in" $FILE
; exit: 2
; stderr: there is no program `no-such-solver`
; run: palisade verify --32 --64 $FILE
; exit: 2
; stderr: cannot be used with
; run: palisade verify
; exit: 2
; run: palisade verify $FILE $FILE
; exit: 2
; stderr: only C programs
; run: palisade verify $TMP/no_such_file.smt2
; exit: 3
; last: -
; stderr: cannot read
; run: palisade verify $TMP
; exit: 3
; stderr: cannot read
; run: palisade explain $FILE
; exit: 3
; stderr: line 1: not JSON
; run: palisade engines
; exit: 0
; stdout: bmc
; run: palisade options
; exit: 0
; stdout: bmc.bound=N  (default 0)
(set-logic HORN)
(check-sat)
