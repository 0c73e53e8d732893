(define-fun loop ((x Int) (y Int)) Bool (= x y)
