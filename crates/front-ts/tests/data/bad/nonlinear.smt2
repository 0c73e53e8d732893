; error: 8:55: not linear: its body has both `p` and `q`
(set-logic HORN)
(declare-fun p (Int) Bool)
(declare-fun q (Int) Bool)
(declare-fun r (Int) Bool)
(assert (forall ((x Int)) (=> (p x) (q x))))
(assert (forall ((x Int)) 
  (=> (and (p x) (r x) (> x 0)      (exists ((y Int)) (q y))) (p (+ x 1)))))
(check-sat)
