; why: algebraic data types are not in the term language.
; run: palisade verify --timeout 20 $FILE
; exit: 0
; last: RESULT: TRUE
(set-logic HORN)
(declare-datatypes ((List 0)) (((nil) (cons (head Int) (tail List)))))
(declare-fun built (List) Bool)
(assert (built nil))
(assert (forall ((l List) (x Int)) (=> (and (built l) (> x 0)) (built (cons x l)))))
(assert (forall ((l List) (x Int)) (=> (and (built (cons x l)) (<= x 0)) false)))
(check-sat)
