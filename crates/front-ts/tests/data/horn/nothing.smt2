; answer: sat
(set-logic HORN)
(check-sat)
