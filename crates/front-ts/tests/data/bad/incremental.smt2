; error: 5:1: clauses after the first check-sat
(set-logic HORN)
(declare-fun p (Int) Bool)
(check-sat)
(assert (p 1))
