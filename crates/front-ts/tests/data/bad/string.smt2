; error: 3:17: the sort `String`
(set-logic HORN)
(declare-fun p (String) Bool)
