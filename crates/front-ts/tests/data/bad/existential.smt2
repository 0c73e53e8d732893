; error: 4:27: it is an existential quantifier
(set-logic HORN)
(declare-fun p (Int) Bool)
(assert (forall ((x Int)) (exists ((y Int)) (p (+ x y)))))
