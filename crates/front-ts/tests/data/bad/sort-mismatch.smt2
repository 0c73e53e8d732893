; error: 4:31: a term of sort Int was expected here, not Bool
(set-logic HORN)
(declare-fun p (Int) Bool)
(assert (forall ((b Bool)) (p b)))
