; The story of a lazy abstraction: nodes, covers, the paths that were refuted, the nodes that were removed.
; run: palisade verify --engine tree-ic3 --set art.background=false --trace $TMP/tree.jsonl $FILE
; exit: 0
; last: RESULT: TRUE
; run: palisade explain $TMP/tree.jsonl
; exit: 0
; stdout: node 1 at entry
; stdout: node 3 at l below node 2
; stdout: obligation #1 at l, level 1, from where #0 is reached: can this happen? l!0 <= -1
; stdout: lemma at l, up to level 1 (block-path): l!0 >= 0
; stdout: the path of 2 edges to node 4 is refuted edge by edge
; stdout: node 2 at l satisfies: l!0 >= 0
; stdout: node 4 at error cannot be reached
; stdout: node 3 at l is covered by node 2
; run: palisade verify --engine predabs --set art.background=false --trace $TMP/predabs.jsonl $FILE
; exit: 0
; last: RESULT: TRUE
; run: palisade explain $TMP/predabs.jsonl
; exit: 0
; stdout: the path of 2 edges to node 4 is refuted by interpolants
; stdout: predicate at l
; stdout: below node 2 at l, 2 nodes are removed
; stdout: node 6 at error cannot be reached
; stdout: node 5 at l is covered by node 2
; run: palisade verify --engine impact --set art.background=false --trace $TMP/impact.jsonl $FILE
; exit: 0
; last: RESULT: TRUE
; run: palisade explain $TMP/impact.jsonl
; exit: 0
; stdout: the nodes between 2 and 3 are strengthened by interpolants
(set-logic HORN)
(declare-fun l (Int) Bool)
(declare-fun m (Int) Bool)
(assert (forall ((x Int)) (=> (= x 0) (l x))))
(assert (forall ((x Int)) (=> (l x) (m (+ x 1)))))
(assert (forall ((x Int)) (=> (m x) (l (+ x 1)))))
(assert (forall ((x Int)) (=> (and (l x) (< x 0)) false)))
(check-sat)
