; error: 4:1: this parenthesis is never closed
(set-logic HORN)
(declare-fun p (Int) Bool)
(assert (forall ((x Int)) (=> (p x) (p (+ x 1))))
(check-sat)
