; answer: unsat
; Definitions are inlined, also those that mention predicates and quantifiers.
(set-logic HORN)
(define-sort Pair () (Array Int Int))
(declare-fun r (Pair Int) Bool)
(define-fun swap ((a Pair)) Pair (store (store a 0 (select a 1)) 1 (select a 0)))
(define-fun small ((x Int)) Bool (and (<= 0 x) (< x 3)))
(define-fun start ((x Int)) Bool (forall ((a Pair) (x Int)) (=> (and (= (select a 0) 1) (= (select a 1) 2) (= x 0)) (r a x))))
(define-fun step ((a Pair) (x Int)) Bool (=> (and (r a x) (small x)) (r (swap a) (+ x 1))))
(assert (start 5))
(assert (forall ((a Pair) (x Int)) (! (step a x) :pattern ((r a x)))))
(assert (forall ((a Pair) (x Int)) (=> (and (r a x) (= x 3)) (= (select a 0) 1))))
(check-sat)
