; why: clauses with two body predicates that are both recursive are not automata.
; run: palisade verify --timeout 20 $FILE
; exit: 0
; last: RESULT: TRUE
(set-logic HORN)
(declare-fun p (Int) Bool)
(assert (p 1))
(assert (forall ((x Int) (y Int)) (=> (and (p x) (p y)) (p (+ x y)))))
(assert (forall ((x Int)) (=> (and (p x) (< x 0)) false)))
(check-sat)
