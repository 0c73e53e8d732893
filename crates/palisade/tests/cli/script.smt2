; The solver by itself.
; run: palisade smt $FILE
; exit: 0
; stdout: sat
; stdout: ((x 3) ((+ x y) 10))
; stdout: unsat
; stdout: (a)
; stdout: done
(set-logic QF_LIA)
(declare-const x Int)
(declare-const y Int)
(declare-fun a () Bool)
(declare-fun b () Bool)
(assert (= (+ x y) 10))
(assert (= (- y x) 4))
(check-sat)
(get-value (x (+ x y)))
(push 1)
(assert (=> a (> x 5)))
(check-sat-assuming (a b))
(get-unsat-assumptions)
(pop 1)
(echo "done")
(exit)
(assert what is not read any more)
