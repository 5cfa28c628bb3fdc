c a path
s td 3 2 4
b 1 1 2
b 2 2 3
b 3 3 4
1 2
1 2
