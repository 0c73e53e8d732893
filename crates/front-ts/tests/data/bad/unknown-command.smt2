; error: 2:1: unknown command `frobnicate`
(frobnicate)
