; answer: sat
; All sorts, and integers where rationals are expected.
(set-logic HORN)
(declare-fun s (Bool Int Real (_ BitVec 4) (Array Int Real)) Bool)
(assert (forall ((r Real) (a (Array Int Real)))
  (=> (and (= r (/ 1 2)) (= a ((as const (Array Int Real)) 0.0))) (s false (- 3) r #xf a))))
(assert (forall ((b Bool) (i Int) (r Real) (v (_ BitVec 4)) (a (Array Int Real)))
  (=> (and (s b i r v a) (< i 3) (bvugt v #x0))
      (s (not b) (+ i 1) (+ r 0.25) (bvsub v #x1) (store a i (to_real i))))))
(assert (forall ((b Bool) (i Int) (r Real) (v (_ BitVec 4)) (a (Array Int Real)))
  (=> (and (s b i r v a) (> r 2)) false)))
(check-sat)
