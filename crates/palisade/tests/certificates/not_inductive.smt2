(define-fun loop ((x Int) (y Int)) Bool (and (= x y) (<= x 5)))
