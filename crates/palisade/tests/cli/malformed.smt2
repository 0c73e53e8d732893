; An input that cannot be read is refused with its place.
; run: palisade verify $FILE
; exit: 3
; last: -
; stderr: malformed.smt2:8:
; stderr: nobody
(set-logic HORN)
(assert (nobody 1))
(check-sat)
