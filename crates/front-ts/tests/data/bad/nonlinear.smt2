; error: 6:55: not linear: its body has both `p` and `q`
(set-logic HORN)
(declare-fun p (Int) Bool)
(declare-fun q (Int) Bool)
(assert (forall ((x Int))
  (=> (and (p x) (> x 0)            (exists ((y Int)) (q y))) (p (+ x 1)))))
(check-sat)
