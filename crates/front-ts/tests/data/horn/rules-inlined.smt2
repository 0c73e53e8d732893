; answer: sat
; The same for rules, whose variables are declared once for all.
(declare-rel p (Int))
(declare-rel twice (Int Int))
(declare-rel bad ())
(declare-var x Int)
(declare-var y Int)
(declare-var z Int)
(rule (=> (= (+ x x) y) (twice x y)))
(rule (p 1))
(rule (=> (and (p x) (twice x y) (twice y z)) (p z)))
(rule (=> (and (p x) (twice y x) (twice z y) (= (mod x 4) 2)) bad))
(query bad)
