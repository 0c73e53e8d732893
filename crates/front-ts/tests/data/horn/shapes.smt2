; answer: sat
; Every shape that is a linear Horn clause, whatever it looks like.
(set-logic HORN)
(set-info :status sat)
(declare-fun p (Int) Bool)
(declare-fun q (Int Int) Bool)
(declare-fun done () Bool)
(declare-const other Bool)
; a ground fact, and facts below a conjunction with a constraint that holds anyway
(assert (p 0))
(assert (and (q 1 2) (p 7) (< 1 2)))
; a clause as a disjunction, nested quantifiers, shadowing
(assert (forall ((x Int)) (or (not (p x)) (> x 100) (forall ((y Int)) (or (distinct y x) (q x (+ y 1)))))))
(assert (forall ((x Int)) (=> (p x) (forall ((x Int)) (=> (and (= x 5) (< x 3)) (p x))))))
; no existential quantifier in sight once the negation is pushed in
(assert (not (exists ((x Int) (y Int)) (and (q x y) (< x (- 5))))))
; several heads, with a constraint among them: x > 200 is negated into the body
(assert (forall ((x Int)) (=> (and (p x) (> x 50)) (and (p (- x 1)) (q x x) (< x 1000)))))
; predicates below let, inside a disjunction of the body, twice the same one
(assert (forall ((x Int) (y Int))
  (=> (let ((a (p x)) (b (< x 10))) (and (or (and a b) (and (q x y) (> y 90) (= y x))) b)) (p (+ x 3)))))
; implication to the right, Boolean equality, ite
(assert (forall ((x Int)) (=> (p x) (= x 42) done)))
(assert (forall ((x Int) (b Bool)) (=> (and (p x) (= b (> x 100)) b) other)))
(assert (forall ((x Int)) (ite (> x 30) (=> (p x) (q x 0)) true)))
(assert (forall ((x Int)) (= (p (+ x 0)) (p x))))
; queries: false as a head, a negated predicate, a constraint as a head
(assert (not (p (- 1))))
(assert (forall ((x Int)) (=> (p x) (>= x 0))))
(check-sat)
(get-model)
; z3: undecided
