# --save and --load: the same digits, other models and ibounds, what is refused.
. "$(dirname "$0")/common.bash"
run 0 generate ising --rows 8 --cols 8 --seed 3 -o "$tmp/m.uai"
run 0 exact "$tmp/m.uai" --json
exact=$(get log_upper)

bracket() { echo "$(get log_lower) $(get log_upper)"; }

check "a saved state prints the same numbers, to the last digit"
for method in mbe wmbe wmbe-w wmbe-theta wmbe-wtheta wmbe-g wmbe-wg; do
    run 0 "$tmp/m.uai" --method $method --ibound 4 --iterations 30 --json \
        --save "$tmp/s.$method"
    first=$(bracket)
    run 0 bound "$tmp/m.uai" --load "$tmp/s.$method" --iterations 0 --json
    [ "$(bracket)" = "$first" ] || fail "$method: $first, then $(bracket)"
    key_is method $method
    key_is ibound 4
    key_is iterations 0
done
head -n 1 "$tmp/s.wmbe-wg" | grep -qx 'zbound-state 1' || fail "the version line"

check "explicit forms, a given order, a state in .gz"
seq 0 63 | sort -R --random-source=<(yes) | { echo 64; cat; } >"$tmp/order"
for words in "--form forney --side upper" "--form merged --side lower" \
    "--form lattice" "--form original --order $tmp/order --method wmbe-w"; do
    # shellcheck disable=SC2086
    run 0 "$tmp/m.uai" --method wmbe-wg --ibound 4 --iterations 10 --json $words \
        --save "$tmp/s.gz"
    upper=$(get log_upper) lower=$(get log_lower)
    run 0 "$tmp/m.uai" --load "$tmp/s.gz" --iterations 0 --json
    [ "$upper" = null ] || key_is log_upper "$upper"
    [ "$lower" = null ] || key_is log_lower "$lower"
done

check "going on tightens; a larger ibound; saving what was loaded"
run 0 "$tmp/m.uai" --load "$tmp/s.wmbe" --method wmbe-wtheta --iterations 50 --json \
    --save "$tmp/next"
at_most "$(get log_lower)" "$exact"
at_most "$exact" "$(get log_upper)"
upper=$(get log_upper)
run 0 "$tmp/m.uai" --load "$tmp/next" --iterations 20 --json
at_most "$(get log_upper)" "$upper"
run 0 "$tmp/m.uai" --load "$tmp/next" --ibound 6 --iterations 20 --json
key_is ibound 6
at_most "$(get log_lower)" "$exact"
at_most "$exact" "$(get log_upper)"

check "another model of the same shape, and one of another"
run 0 generate ising --rows 8 --cols 8 --seed 4 -o "$tmp/other.uai"
run 0 exact "$tmp/other.uai" --json
exact=$(get log_upper)
run 0 "$tmp/other.uai" --load "$tmp/s.wmbe-wg" --iterations 0 --json
at_most "$(get log_lower)" "$exact"
at_most "$exact" "$(get log_upper)"
run 0 generate regular --factors 8 -o "$tmp/small.uai"
run 2 "$tmp/small.uai" --load "$tmp/s.wmbe"
says 'the state is of a model with 64 variables, this one has 12'

check "methods without a state, places that cannot be written"
run 2 "$tmp/m.uai" --save "$tmp/x"
says "--save: method 'auto' has no state: name a --method"
run 2 "$tmp/m.uai" --load "$tmp/s.wmbe" --method trbp
says "--load: method 'trbp' has no state"
run 2 "$tmp/m.uai" --load "$tmp/s.wmbe" --method auto
says "--load: method 'auto' has no state: name a --method .*, or none to use the state's"
run 2 "$tmp/m.uai" --method wmbe --save "$tmp/no/such/place"
says "--save: cannot write"
run 2 exact "$tmp/m.uai" --save "$tmp/x"
says "--save is not an option of 'zbound exact'"
run 3 "$tmp/m.uai" --load "$tmp/none"
says "$tmp/none"

check "malformed states: exit 3 with file and line"
for file in tests/data/bad_state/*.expect; do
    file=${file%.expect}
    run 3 "$tmp/m.uai" --load "$file"
    [ "$(head -n 1 "$err")" = "zbound: $file:$(cat "$file.expect")" ] ||
        fail "$line: expected $(cat "$file.expect")"
done
