# --mc: the lines that the model counting competitions ask for; --method count.
. "$(dirname "$0")/common.bash"

formula() { printf '%b' "$1" >"$tmp/f.cnf"; }
# prints LINE..: all of these lines, each once, and no other but comments (c o)
prints() {
    printf '%s\n' "$@" | sort >"$tmp/want"
    grep -v '^c o ' "$out" | sort | diff - "$tmp/want" >"$tmp/diff" || fail "$line: $(cat "$tmp/diff")"
    [ "$(grep -c '^c o ' "$out")" -ge 1 ] || fail "$line: no comment"
}

check "the four tasks"
formula 'p cnf 3 2\n1 2 0\n-1 3 0\n'
run 0 "$tmp/f.cnf" --mc
prints 's SATISFIABLE' 'c s type mc' 'c s log10-estimate 0.602059991327962' 'c s exact arb int 4'
formula 'p cnf 3 2\nc p weight 1 0.3 0\nc p weight -2 1/4 0\n1 2 0\n-1 3 0\n'
run 0 "$tmp/f.cnf" --mc
prints 's SATISFIABLE' 'c s type wmc' 'c s log10-estimate 0.130333768495006' 'c s exact arb frac 27/20'
formula 'p cnf 3 2\nc p show 1 2 0\n1 2 0\n-1 3 0\n'
run 0 "$tmp/f.cnf" --mc
prints 's SATISFIABLE' 'c s type pmc' 'c s log10-estimate 0.477121254719662' 'c s exact arb int 3'
formula 'p cnf 3 2\nc p show 1 0\nc p weight 1 0.25 0\n1 2 0\n-1 3 0\n'
run 0 "$tmp/f.cnf" --mc
prints 's SATISFIABLE' 'c s type pwmc' 'c s log10-estimate 0' 'c s exact arb frac 1'

check "no solution; a count of 0 that has solutions; a count below 0"
formula 'p cnf 1 2\n1 0\n-1 0\n'
run 0 "$tmp/f.cnf" --mc
prints 's UNSATISFIABLE' 'c s type mc' 'c s log10-estimate -inf' 'c s exact arb int 0'
formula 'p cnf 1 0\nc p weight 1 -1/2 0\nc p weight -1 0.5 0\n'
run 0 "$tmp/f.cnf" --mc
prints 's SATISFIABLE' 'c s type wmc' 'c s log10-estimate -inf' 'c s exact arb frac 0'
formula 'p cnf 2 0\nc p weight 1 -3 0\nc p weight -1 -2 0\n'
run 0 "$tmp/f.cnf" --mc
prints 's SATISFIABLE' 'c s type wmc' 'c s neglog10-estimate 1' 'c s exact arb frac -10'

check "a large integer, from stdin and through xz where that is built in"
printf 'p cnf 100 0\n' >"$tmp/f.cnf"
line="zbound - --mc"
"$ZBOUND" - --mc <"$tmp/f.cnf" >"$out" 2>"$err" || fail "$line"
grep -qx 'c s exact arb int 1267650600228229401496703205376' "$out" || fail "$line"
if command -v xz >/dev/null && xz -k "$tmp/f.cnf" && "$ZBOUND" info "$tmp/f.cnf.xz" >/dev/null 2>&1; then
    run 0 "$tmp/f.cnf.xz" --mc
    grep -qx 'c s exact arb int 1267650600228229401496703205376' "$out" || fail "$line"
fi

# many LEVEL: random clauses of three over 220 variables, far too many to be counted
many() {
    awk -v seed="$1" 'BEGIN { srand(seed); print "p cnf 220 500"
        for (c = 0; c < 500; c++) {
            for (i = 0; i < 3; i++) printf "%d ", (rand() < 0.5 ? -1 : 1) * (1 + int(220 * rand()))
            print 0 } }'
}
check "what is not counted in time has a bracket in comments"
many 3 >"$tmp/f.cnf"
run 0 "$tmp/f.cnf" --mc --time 2 --memory 300M
prints 's UNKNOWN' 'c s type mc'
lower=$(sed -n 's/^c o log10 of a proved lower bound: //p' "$out")
upper=$(sed -n 's/^c o log10 of a proved upper bound: //p' "$out")
at_most "$lower" "$upper"
at_most "$upper" 66.3 # 2^220

check "Ctrl-C: what is known by then"
interrupt INT 0.3 "$tmp/f.cnf" --mc --time 500 --memory 300M
[ $code = 130 ] || fail "$line: exit code $code"
prints 's UNKNOWN' 'c s type mc'

check "what does not go with it"
for option in --json "--uai $tmp/x" "--certificate $tmp/x" "--beta 2" "--side upper" "--method be"; do
    run 2 "$tmp/f.cnf" --mc $option
    says 'zbound: --mc '
done
run 2 "$tmp/f.cnf" "$tmp/f.cnf" --mc
run 2 info "$tmp/f.cnf" --mc

check "negative weights and projections have no bounds, and the message names --mc"
formula 'p cnf 2 0\nc p weight 1 -3 0\n'
run 3 "$tmp/f.cnf"
says "f.cnf:2: expected a non-negative weight \(--mc"
formula 'p cnf 2 0\nc p show 1 0\n'
run 3 "$tmp/f.cnf"
says "f.cnf:2: .*which only --mc counts"

check "--method count: the counter alone"
formula 'p cnf 3 2\nc p weight 1 0.3 0\nc p weight -2 1/4 0\n1 2 0\n-1 3 0\n'
run 0 "$tmp/f.cnf" --method count --json
key_is method count
key_is exact true
near "$(get log_upper)" 0.300104592450338 1e-12
many 3 >"$tmp/f.cnf"
run 0 "$tmp/f.cnf" --method count --json --time 1 --memory 300M
key_is exact false
at_most "$(get log_lower)" "$(get log_upper)"
at_most "$(get log_upper)" 153 # 220 ln 2 is 152.5
key_is stop time
at_most 1 "$(get log_lower)"
run 2 "$tmp/f.cnf" --method count --certificate "$tmp/x"
