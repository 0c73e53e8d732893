; A shortest counterexample, its certificate, and what becomes of damaged certificates.
; run: palisade verify --engine bmc --certificate $TMP/run.json --json $TMP/report.json $FILE
; exit: 10
; last: RESULT: FALSE(query)
; stdout: counterexample: a run of 5 steps
; run: palisade check $FILE $TMP/run.json
; exit: 10
; last: RESULT: FALSE(query)
; run: palisade check $DIR/safe_horn.smt2 $TMP/run.json
; exit: 3
; last: -
; stderr: run.json cannot be read as a certificate: step 0
; run: palisade verify --engine kind $FILE
; exit: 10
; last: RESULT: FALSE(query)
; run: palisade verify --engine ic3-cfa $FILE
; exit: 10
; last: RESULT: FALSE(query)
; run: palisade verify --engine bmc --format native $FILE
; exit: 10
; last: unsat
; run: palisade verify --engine bmc --set bmc.bound=3 --set transform=none $FILE
; exit: 20
; last: RESULT: UNKNOWN(incomplete: no counterexample of up to 3 steps)
; stdout: no run of up to 3 steps
(set-logic HORN)
(declare-fun p (Int Int) Bool)
(assert (forall ((x Int)) (=> (> x 0) (p x 0))))
(assert (forall ((x Int) (y Int) (i Int)) (=> (and (p x y) (<= 0 i 2)) (p x (+ y i)))))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (> y (+ x 4))) false)))
(check-sat)
