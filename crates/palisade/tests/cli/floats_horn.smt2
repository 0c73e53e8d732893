; Horn clauses over floating-point numbers: a number that grows by a half stays at or below its bound.
; run: palisade verify --timeout 60 $FILE
; exit: 0
; last: RESULT: TRUE
(set-logic HORN)
(declare-fun inv (Float32) Bool)
(assert (forall ((x Float32)) (=> (= x (_ +zero 8 24)) (inv x))))
(assert (forall ((x Float32) (y Float32))
  (=> (and (inv x) (fp.lt x ((_ to_fp 8 24) RNE 3.0)) (= y (fp.add RNE x ((_ to_fp 8 24) RNE 0.5)))) (inv y))))
(assert (forall ((x Float32)) (=> (and (inv x) (fp.gt x ((_ to_fp 8 24) RNE 4.0))) false)))
(assert (forall ((x Float32)) (=> (and (inv x) (fp.isNaN x)) false)))
(check-sat)
