; Arrays: the refutations behind the invariant are checked like all others, so the verdict needs no other solver.
; run: palisade verify --timeout 60 $FILE
; exit: 0
; last: RESULT: TRUE
(set-logic HORN)
(declare-fun inv ((Array Int Int) Int Int) Bool)
(assert (forall ((a (Array Int Int)) (i Int) (n Int)) (=> (= n 0) (inv (store a i 5) i n))))
(assert (forall ((a (Array Int Int)) (i Int) (n Int)) (=> (inv a i n) (inv (store a i (+ 1 (select a i))) i (+ n 1)))))
(assert (forall ((a (Array Int Int)) (i Int) (n Int)) (=> (and (inv a i n) (< (select a i) 5)) false)))
(check-sat)
