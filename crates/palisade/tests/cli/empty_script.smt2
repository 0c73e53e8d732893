; A script without a command proves nothing.
; run: palisade verify $FILE
; exit: 3
