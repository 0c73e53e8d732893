; A solver that dies, or talks nonsense, is the reason for UNKNOWN, never a verdict.
; run: palisade verify --engine bmc --set transform=none --solver false $FILE
; exit: 20
; stdout: RESULT: UNKNOWN(solver: false
; run: palisade verify --engine kind --set transform=none --solver "echo hello" $FILE
; exit: 20
; stdout: RESULT: UNKNOWN(solver: 
; run: palisade verify --engine kind --set transform=none --check-with false $FILE
; exit: 20
; stdout: RESULT: UNKNOWN(the certificate could not be checked
; run: palisade verify --engine kind --set transform=none --solver "z3 -in" --check-with "z3 -in" $FILE
; exit: 0
; last: RESULT: TRUE
(set-logic HORN)
(declare-fun loop (Int Int) Bool)
(assert (loop 0 0))
(assert (forall ((x Int) (y Int)) (=> (loop x y) (loop (+ x 1) (+ y 1)))))
(assert (forall ((x Int) (y Int)) (=> (and (loop x y) (not (= x y))) false)))
(check-sat)
