c nothing
