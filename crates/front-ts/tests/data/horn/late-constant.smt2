; answer: sat
; A constant that no clause mentions is no obstacle, even if a clause binds its name.
(set-logic HORN)
(declare-fun p (Int) Bool)
(assert (forall ((c Int)) (=> (> c 3) (p c))))
(declare-const c Int)
(assert (forall ((c Int)) (=> (and (p c) (< c 3)) false)))
(check-sat)
