; A tank that is filled by 3 and leaks by 1: it overflows after a while.
;   palisade verify examples/leak.smt2        RESULT: FALSE(query)
(set-logic HORN)
(declare-fun tank (Int) Bool)
(assert (tank 0))
(assert (forall ((v Int)) (=> (and (tank v) (< v 10)) (tank (+ v 3)))))
(assert (forall ((v Int)) (=> (and (tank v) (> v 0)) (tank (- v 1)))))
(assert (forall ((v Int)) (=> (and (tank v) (> v 11)) false)))
(check-sat)
