; answer: unsat
; Names that are keywords elsewhere, or look like ours.
(set-logic HORN)
(declare-fun |entry| (Int) Bool)
(declare-fun |error| (Int) Bool)
(declare-fun |p q| (Int) Bool)
(declare-fun |entry!0| (Int) Bool)
(assert (forall ((|x'| Int)) (=> (= |x'| 1) (|entry| |x'|))))
(assert (forall ((|x@1| Int) (|entry!0| Int)) (=> (and (|entry| |x@1|) (= |entry!0| (+ |x@1| 1))) (|error| |entry!0|))))
(assert (forall ((select Int)) (=> (|error| select) (|p q| select))))
(assert (forall ((x Int)) (=> (|p q| x) (|entry!0| x))))
(assert (forall ((x Int)) (=> (|entry!0| x) (distinct x 2))))
(check-sat)
