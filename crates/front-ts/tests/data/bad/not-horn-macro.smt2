; error: 6:1: not Horn: it concludes `p` or `q`
(set-logic HORN)
(declare-fun p (Int) Bool)
(declare-fun q (Int) Bool)
(define-fun either ((x Int)) Bool (or (p x) (q x)))
(assert (forall ((x Int)) (either x)))
