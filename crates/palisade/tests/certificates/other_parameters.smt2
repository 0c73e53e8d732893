(define-fun loop ((x Int)) Bool (= x 0))
