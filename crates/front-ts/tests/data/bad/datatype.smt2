; error: 3:1: algebraic data types
(set-logic HORN)
(declare-datatypes ((L 0)) (((nil) (cons (h Int) (t L)))))
