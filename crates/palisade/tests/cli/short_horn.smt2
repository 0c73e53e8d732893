; A system over words whose loop ends by a constant has a model all the same, and not a number of rounds.
; run: palisade verify --format chc --timeout 60 $FILE
; exit: 0
; stdout: (define-fun p
(set-logic HORN)
(declare-fun p ((_ BitVec 8) (_ BitVec 8)) Bool)
(assert (forall ((x (_ BitVec 8))) (p #x00 x)))
(assert (forall ((i (_ BitVec 8)) (x (_ BitVec 8)))
  (=> (and (p i x) (bvult i #x04)) (p (bvadd i #x01) (bvmul x x)))))
(assert (forall ((i (_ BitVec 8)) (x (_ BitVec 8))) (=> (and (p i x) (= i #x04) (= x #x03)) false)))
(check-sat)
