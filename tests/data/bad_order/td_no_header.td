c nothing
b 1 1 2
