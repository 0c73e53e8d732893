; error: 2:1: a command was expected here
hello
