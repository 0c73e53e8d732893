; error: 4:31: the predicate `p` inside a term
(set-logic HORN)
(declare-fun p (Bool) Bool)
(assert (forall ((x Bool)) (p (p x))))
