; z3's rule format, where `sat` means that the query can be derived.
; run: palisade verify --engine bmc $FILE
; exit: 10
; run: palisade verify --engine bmc --format native $FILE
; exit: 10
; last: sat
(declare-rel p (Int))
(declare-rel bad ())
(declare-var x Int)
(rule (p 0))
(rule (=> (and (p x) (< x 3)) (p (+ x 1))))
(rule (=> (and (p x) (> x 2)) bad))
(query bad)
