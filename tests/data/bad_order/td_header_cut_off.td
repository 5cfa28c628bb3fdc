s td 3 2
