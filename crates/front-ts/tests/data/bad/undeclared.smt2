; error: 4:45: `z` is not declared
(set-logic HORN)
(declare-fun p (Int) Bool)
(assert (forall ((x Int)) (=> (p x) (p (+ x z)))))
