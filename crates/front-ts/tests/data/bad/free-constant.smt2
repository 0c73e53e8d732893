; error: 3:16: the free constant `c` in a clause
(set-logic HORN)
(declare-const c Int)
(declare-fun p (Int) Bool)
(assert (p c))
