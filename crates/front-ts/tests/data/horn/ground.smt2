; answer: unsat
; No variables at all; an assertion that is false by itself.
(set-logic HORN)
(declare-fun a () Bool)
(declare-fun b () Bool)
(assert a)
(assert (=> a b))
(assert (=> b (> 1 2)))
(check-sat)
