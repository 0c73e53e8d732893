; why: the invariant y = x * x is not linear; arithmetic with products of variables is not decided.
; run: palisade verify --timeout 5 $FILE
; exit: 0
; last: RESULT: TRUE
(set-logic HORN)
(declare-fun inv (Int Int) Bool)
(assert (inv 0 0))
(assert (forall ((x Int) (y Int)) (=> (inv x y) (inv (+ x 1) (+ y (* 2 x) 1)))))
(assert (forall ((x Int) (y Int)) (=> (and (inv x y) (not (= y (* x x)))) false)))
(check-sat)
