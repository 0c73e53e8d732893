; A loop as Horn clauses: x counts up to n, y counts along.
;   palisade verify examples/counter.smt2        RESULT: TRUE
(set-logic HORN)
(declare-fun loop (Int Int Int) Bool)
(assert (forall ((n Int)) (=> (>= n 0) (loop 0 0 n))))
(assert (forall ((x Int) (y Int) (n Int)) (=> (and (loop x y n) (< x n)) (loop (+ x 1) (+ y 2) n))))
(assert (forall ((x Int) (y Int) (n Int)) (=> (and (loop x y n) (>= x n) (not (= y (* 2 n)))) false)))
(check-sat)
