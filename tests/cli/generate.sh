# `generate`: every kind, its options, and the pipe into the solver.
. "$(dirname "$0")/common.bash"

check "sizes of every kind"
size() { # VARIABLES FACTORS ARGUMENT...
    local variables=$1 factors=$2
    shift 2
    run 0 generate "$@" -o "$tmp/m.uai"
    [ ! -s "$out" ] || fail "$line: stdout with -o FILE"
    run 0 info "$tmp/m.uai" --json
    key_is variables "$variables"
    key_is factors "$factors"
}
size 12 29 ising --rows 3 --cols 4 --coupling 1 --field 0.1 --seed 2
size 12 36 ising --rows 3 --cols 4 --periodic
size 30 20 regular --factors 20 --coupling 0.5 --chord opposite
size 30 20 regular --factors 20 --chord random
size 8 9 random --variables 8 --factors 9 --arity 2 --cardinality 3 --zeros 0.2
key_is max_cardinality 3
key_is max_arity 2
size 24 46 ising --rows 2 --cols 3 --layers 4 --couplings pm1
size 12 23 ising --rows 3 --cols 4 --couplings uniform --lattice triangular
size 12 17 ising --rows 3 --cols 4 --couplings uniform --states 5
key_is max_cardinality 5

check "a tree is solved exactly, whatever its size"
run 0 generate tree --variables 300 --cardinality 4 --seed 3 -o "$tmp/t.uai"
run 0 info "$tmp/t.uai" --json
key_is variables 300
run 0 "$tmp/t.uai" --json
key_is exact true

check "same seed, same file; another seed, another"
for seed in 1 1 2; do
    "$ZBOUND" generate ising --rows 4 --cols 4 --seed $seed >>"$tmp/all" || fail "ising"
    "$ZBOUND" generate ising --rows 4 --cols 4 --seed $seed | cksum >>"$tmp/sums"
done
[ "$(sort "$tmp/sums" | uniq | wc -l)" = 2 ] || fail "seeds and files do not match"

check "--variance: coupling 4 read as a variance is a standard deviation of 2"
a=$("$ZBOUND" generate ising --coupling 4 --field 0.25 --variance | cksum)
b=$("$ZBOUND" generate ising --coupling 2 --field 0.5 | cksum)
[ "$a" = "$b" ] || fail "--variance"

check "generate ising | zbound -"
"$ZBOUND" generate ising --rows 5 --cols 5 | "$ZBOUND" exact - --json >"$out" 2>"$err" ||
    fail "the pipe"
key_is exact true
key_is variables 25
"$ZBOUND" generate ising --rows 5 --cols 5 -o "$tmp/g.LG"
z=$(get log_upper)
run 0 exact "$tmp/g.LG" --json
near "$(get log_upper)" "$z" 1e-10

check "--beta of a generator is that of a solver"
"$ZBOUND" generate ising --couplings uniform --coupling 0.25 --beta 2 -o "$tmp/b.uai"
run 0 "$tmp/b.uai" --json
z=$(get log_upper)
"$ZBOUND" generate ising --couplings uniform --coupling 0.25 -o "$tmp/a.uai"
run 0 "$tmp/a.uai" --beta 2 --json
near "$(get log_upper)" "$z" 1e-10
run 2 generate ising --coupling -1
run 0 generate ising --coupling -1 --couplings uniform -o "$tmp/a.uai"

check "wrong requests"
run 2 generate
run 2 generate spins
says "ising"
run 2 generate random --variables 2 --arity 5
run 2 generate regular --factors 3
run 2 generate ising -o "$tmp/no/such/place"
