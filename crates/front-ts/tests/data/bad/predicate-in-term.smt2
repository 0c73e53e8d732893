; error: 4:41: the predicate `p` inside a term
(set-logic HORN)
(declare-fun p (Int) Bool)
(assert (forall ((x Int)) (< 0 (+ (ite  (p x) 1 2) x))))
