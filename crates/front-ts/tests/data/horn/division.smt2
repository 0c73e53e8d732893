; answer: sat
; Integer division and remainder by constants, negative ones too; by zero they have fixed values.
(set-logic HORN)
(declare-fun d (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 17) (= y (mod x (- 5)))) (d x y))))
(assert (forall ((x Int) (y Int)) (=> (and (d x y) (> x 1)) (d (div x 2) (+ (mod y 3) (div x 0))))))
(assert (forall ((x Int) (y Int)) (=> (d x y) (and (>= (div x (- 2)) (- 9)) (<= (mod y 0) 2)))))
(check-sat)
; z3: undecided
