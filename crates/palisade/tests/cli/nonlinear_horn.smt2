; Clauses with two body predicates are another kind of problem.
; run: palisade verify $FILE
; exit: 3
; last: -
; stderr: unsupported
(set-logic HORN)
(declare-fun p (Int) Bool)
(assert (p 1))
(assert (forall ((x Int) (y Int)) (=> (and (p x) (p y)) (p (+ x y)))))
(assert (forall ((x Int)) (=> (and (p x) (< x 0)) false)))
(check-sat)
