; run: palisade smt $FILE
; exit: 3
; stderr: script_error.smt2:6:1: unsupported: the command `minimize`
(declare-const x Int)
(check-sat)
(minimize x)
