; error: 3:14: uninterpreted function `f`
(set-logic HORN)
(declare-fun f (Int) Int)
