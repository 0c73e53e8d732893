; A proof, its certificate, and other eyes on it.
; run: palisade verify --engine kind --certificate $TMP/proof.smt2 $FILE
; exit: 0
; last: RESULT: TRUE
; stdout: (loop):
; run: palisade check $FILE $TMP/proof.smt2
; exit: 0
; last: RESULT: TRUE
; run: palisade check --check-with "z3 -in" $FILE $TMP/proof.smt2
; exit: 0
; last: RESULT: TRUE
; run: palisade check $FILE $DIR/../certificates/too_weak.smt2
; exit: 20
; stdout: the certificate is wrong: edge 2
; run: palisade check $FILE $DIR/../certificates/not_inductive.smt2
; exit: 20
; stdout: does not preserve
; run: palisade check $FILE $DIR/../certificates/other_parameters.smt2
; exit: 3
; stderr: 1 parameters are given, 2 are needed
; run: palisade check $FILE $DIR/../certificates/broken.smt2
; exit: 3
; stderr: never closed
; run: palisade check $FILE $DIR/../certificates/there_is_no_such_file
; exit: 3
; stderr: cannot read
; run: palisade verify --format native $FILE
; exit: 0
; last: sat
; run: palisade verify --engine ic3-cfa --trace $TMP/trace.jsonl $FILE
; exit: 0
; last: RESULT: TRUE
; run: palisade explain $TMP/trace.jsonl
; exit: 0
; stdout: with ic3-cfa
; stdout: TRUE
; run: palisade dump --as cfa $FILE
; exit: 0
; stdout: loop
; run: palisade dump --as dot $FILE
; exit: 0
; stdout: digraph
; run: palisade dump --as horn $FILE
; exit: 0
; stdout: (set-logic HORN)
; run: palisade dump --as vmt $FILE
; exit: 0
; stdout: :invar-property
(set-logic HORN)
(declare-fun loop (Int Int) Bool)
(assert (loop 0 0))
(assert (forall ((x Int) (y Int)) (=> (loop x y) (loop (+ x 1) (+ y 1)))))
(assert (forall ((x Int) (y Int)) (=> (and (loop x y) (not (= x y))) false)))
(check-sat)
