# Command line: help, version, wrong options, wrong commands.
. "$(dirname "$0")/common.bash"
write_small "$tmp/m.uai"

check "no arguments: short usage on stderr, exit 2"
run 2
says '^usage: zbound MODEL'

check "--help and --version on stdout, exit 0"
run 0 --help
shows 'usage: zbound MODEL'
shows '^  compare'
silent
run 0 --version
shows '^zbound [0-9]+\.[0-9]+\.[0-9]+$'
run 0 help
shows 'commands:'

check "help of every command, from the tables"
for command in bound exact info order generate compare; do
    run 0 "$command" --help
    shows "^usage: zbound $command "
    shows '--quiet'
    silent
done
run 0 bound --help
for option in method side form ibound order iterations optimizer step-gauge time memory \
    tolerance seed threads trace json quiet no-progress uai no-evidence; do
    shows "--$option"
done
shows 'wmbe-wtheta'
run 0 generate ising --help
shows '--rows'
if grep -q -- '--arity' "$out"; then fail "--arity is no option of generate ising"; fi

check "a side that the method does not have: exit 2; both sides: what there is"
for pair in 'mf upper lower' 'trbp lower upper'; do
    read -r method wrong right <<<"$pair"
    run 2 "$tmp/m.uai" --method "$method" --side "$wrong"
    says "'side': method '$method' has no $wrong bound; ask for '$right' or 'both'"
    run 0 "$tmp/m.uai" --method "$method" --side "$right"
    run 0 "$tmp/m.uai" --method "$method" --side both --json
    key_is "log_$wrong" null
done
run 2 "$tmp/m.uai" --method bp --side upper
says "method 'bp' gives an estimate and no upper bound"
run 0 "$tmp/m.uai" --method bp
run 0 compare "$tmp/m.uai" --side upper --time 2
if grep -qE '^(mf|bp) ' "$out"; then fail "mf and bp have no upper bound"; fi
run 0 compare "$tmp/m.uai" --side upper --methods mbe,mf --time 2
shows "^mf .*has no upper bound"

check "unknown options: exit 2 and the nearest name"
run 2 "$tmp/m.uai" --ibuond 4
says "unknown option '--ibuond'; did you mean --ibound\?"
run 2 "$tmp/m.uai" --xyzzy
says "unknown or ambiguous option '--xyzzy'"
run 2 "$tmp/m.uai" -x
says "unknown option '-x'"
run 2 "$tmp/m.uai" --ibound
says "needs a value"
run 2 "$tmp/m.uai" --json=yes
says "takes no value"

check "unknown commands: exit 2 and the nearest name"
run 2 infu
says "neither a command nor a file; did you mean 'info'\?"
run 2 xyzzy
says "neither a command nor a file"
run 2 generate isnig
says "ising"

check "values out of range or of the wrong kind: exit 2, the option named"
for pair in "ibound -1" "ibound x" "ibound 2.5" "method wmb" "side left" "time -5" \
    "memory 4Q" "seed -1" "tolerance 2" "threads 1e9" "order no-such-order"; do
    # shellcheck disable=SC2086
    run 2 "$tmp/m.uai" --$pair
    says "--${pair% *}"
done
run 2 generate ising --rows 0
says '--rows: expected a number from 1'
run 2 generate regular --chord both
says '--chord: expected opposite\|random'

check "an option of another command: exit 2"
run 2 order "$tmp/m.uai" --method mbe
says "--method is not an option of 'zbound order'"
run 2 generate tree --rows 4
says "--rows is not an option of 'zbound generate tree'"

check "wrong number of arguments: exit 2"
run 2 bound
says 'too few arguments'
run 2 bound a.uai b.evid c
says 'too many arguments'

check "hints come from the command's own options"
run 2 "$tmp/m.uai" --talkative
says "unknown or ambiguous option '--talkative'"
run 2 generate random --zeroes 1
says 'did you mean --zeros\?'
run 2 bound --zeroes 1 "$tmp/m.uai"
says "unknown or ambiguous option '--zeroes'"
run 2 order "$tmp/m.uai" --sied 3
says 'did you mean --seed\?'

check "--quiet hides notes, not errors; it may stand anywhere before --"
run 2 --quiet --ibuond
says 'did you mean --ibound'
run 2 -q
says '^usage:'
run 3 "$tmp/none.uai" -q
says 'none.uai'
printf 'p cnf 2 5\n1 2 0\n' >"$tmp/f.cnf"
for words in "-q $tmp/f.cnf" "$tmp/f.cnf -q" "exact $tmp/f.cnf --quiet" "info -q $tmp/f.cnf"; do
    # shellcheck disable=SC2086
    run 0 $words
    silent
done
run 0 "$tmp/f.cnf"
says 'note: .*f.cnf:1: the header says 5 clauses, the file has 1'
cp "$tmp/m.uai" "$tmp/-q"
cd "$tmp" || fail "cd"
run 0 -- -q # after --, a file
shows '^ln Z +5\.318'
run 3 -- "$tmp/f.cnf" -q # evidence called -q, malformed
says '-q:1: '
cd - >/dev/null || fail "cd"

check "options whose meaning is narrower in a command say so"
run 0 forney --help
shows 'the form that is made, forney by default'
shows 'joint scope of merged factors'
if grep -qE 'mini-bucket|is bounded' "$out"; then fail "forney --help speaks of bounds"; fi
run 0 compare --help
shows 'shared by the methods'
run 0 info --help
shows 'forecasts are held against'

man=$(dirname "$ZBOUND")/man_options
if [ -x "$man" ]; then
    check "the man page's options: no order called file, no sentence ends twice"
    line=man_options
    "$man" docs/zbound.1.scd >"$out" 2>"$err" || fail "$line"
    shows '^\*--order\* '
    if grep -qE '\*file\*|[^.]\.\.$' "$out"; then fail "$line"; fi
fi
