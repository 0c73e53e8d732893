; error: 5:38: not Horn: it concludes `p` or `q`
(set-logic HORN)
(declare-fun p (Int) Bool)
(declare-fun q (Int) Bool)
(assert (forall ((x Int)) (or  (p x) (q x))))
