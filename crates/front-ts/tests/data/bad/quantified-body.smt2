; error: 5:66: it is an existential quantifier
(set-logic HORN)
(declare-fun p ((Array Int Int)) Bool)
(assert (forall ((a (Array Int Int)))
  (=> (and (p a) (=> (exists ((i Int)) (= (select a i) 0)) true) (forall ((i Int)) (= (select a i) 0))) false)))
