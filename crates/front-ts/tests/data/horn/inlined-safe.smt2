; answer: sat
; Predicates that are inlined, with a variable of their own left in the definition.
(set-logic HORN)
(declare-fun inv (Int) Bool)
(declare-fun half (Int Int) Bool)
(declare-fun step (Int Int) Bool)
(declare-fun seen (Int) Bool)
(assert (forall ((x Int) (h Int)) (=> (= x (* 2 h)) (half x h))))
(assert (forall ((x Int) (y Int) (h Int) (k Int)) (=> (and (half x h) (half y k) (<= h k)) (step x y))))
(assert (inv 0))
(assert (forall ((x Int) (y Int)) (=> (and (inv x) (step x y)) (inv y))))
(assert (forall ((x Int)) (=> (inv x) (seen x))))
(assert (forall ((x Int)) (=> (inv x) (distinct (mod x 2) 1))))
(check-sat)
