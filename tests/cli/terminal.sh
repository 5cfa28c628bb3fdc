# What only terminals see: colours, rows as they finish, the plot of gaps; -v everywhere.
. "$(dirname "$0")/common.bash"

glass=examples/spin_glass.uai
escape=$'\033'
command -v script >/dev/null || { echo "skipped: script is not installed"; exit 77; }

# on_terminal [NAME=VALUE].. -- ARGUMENT..: what a terminal gets, into $out
on_terminal() {
    local settings=()
    while [ "$1" != -- ]; do settings+=("$1"); shift; done
    shift
    line="$*"
    env -u NO_COLOR TERM=xterm "${settings[@]}" script -qec "$ZBOUND $(printf '%q ' "$@")" /dev/null \
        >"$out" </dev/null || fail "$line: it failed"
}
coloured() { grep -q "$escape\[[0-9;]*m" "$1"; }

check "colours on a terminal alone, unless NO_COLOR or TERM say otherwise"
on_terminal -- "$glass" --no-progress
coloured "$out" || fail "$line: no colour on a terminal"
sed "s/$escape\[[0-9;]*m//g; s/\r//" "$out" | grep -v '^cost' >"$tmp/plain"
run 0 bound "$glass" --no-progress
! coloured "$out" || fail "$line: colours in a file"
grep -v '^cost' "$out" | cmp -s - "$tmp/plain" || fail "$line: other words on a terminal"
on_terminal NO_COLOR=1 -- "$glass" --no-progress
! coloured "$out" || fail "$line: NO_COLOR"
on_terminal NO_COLOR= -- "$glass" --no-progress
coloured "$out" || fail "$line: an empty NO_COLOR says nothing"
on_terminal TERM=dumb -- "$glass" --no-progress
! coloured "$out" || fail "$line: TERM=dumb"
on_terminal -- "$glass" --json --no-progress
! coloured "$out" || fail "$line: colours in JSON"

check "compare on a terminal: the rows of a file, once each, then a plot of the gaps"
methods=mbe,wmbe,wmbe-wtheta,mf
on_terminal NO_COLOR=1 -- compare "$glass" --ibound 5 --iterations 5 --methods $methods --no-progress
sed 's/\r//' "$out" >"$tmp/seen"
run 0 compare "$glass" --ibound 5 --iterations 5 --methods $methods
while read -r method lower upper _; do
    [ -z "$method" ] || [ "$method" = model ] || [ "$method" = method ] ||
        [ "$(grep -c "^$method  *$lower  *$upper " "$tmp/seen")" = 1 ] || fail "$line: the row of $method"
done <"$out"
[ "$(grep -c '^[a-z-]*  *##* [0-9.]*$' "$tmp/seen")" = 3 ] || fail "$line: three bars"
grep -q '^be  *exact$' "$tmp/seen" || fail "$line: be has no bar"
# a smaller gap has a shorter bar
bars=$(sed -n 's/^[a-z-]*  *\(##*\) \([0-9.]*\)$/\2 \1/p' "$tmp/seen" | sort -n | awk '{ print length($2) }')
[ "$bars" = "$(sort -n <<<"$bars")" ] || fail "$line: bars do not go with the gaps"
! grep -q '##' "$out" || fail "$line: a plot in a file"

check "-v tells what gives bounds, as they come, with brackets that hold"
"$ZBOUND" generate ising --rows 12 --cols 12 --seed 3 -o "$tmp/g.uai"
z=$("$ZBOUND" exact "$tmp/g.uai" --json --quiet | sed 's/.*"log_upper": *\([-0-9.]*\).*/\1/')
run 0 bound "$tmp/g.uai" -v --memory 600K --time 1
[ "$(grep -c ' s  .* \.\. ' "$err")" -ge 2 ] || fail "$line: fewer than two phases"
hold() { # the brackets told
    awk -v z="$z" '/ s  .* \.\. / { n = split($0, w, / +/)
        for (i = 1; i <= n; i++) if (w[i] == "..") {
            if (w[i - 1] != "-inf" && w[i - 1] > z + 1e-9) bad = 1
            if (w[i + 1] != "inf" && w[i + 1] < z - 1e-9) bad = 1 } }
        END { exit bad }' "$err" || fail "$line: a bracket that does not hold ln Z = $z"
}
hold
run 0 bound "$tmp/g.uai" --memory 600K --time 0.3
! grep -q ' \.\. ' "$err" || fail "$line: phases that nobody asked for"

check "-v tells the steps of a method that was named, of every run by itself"
told() { sed -n 's/.* s  .* \.\. .*  \(wmbe-w.*\)/\1/p' "$err"; }
run 0 bound "$tmp/g.uai" -v --method wmbe-w --side upper --ibound 4 --iterations 12
hold
[ "$(told)" = "$(printf 'wmbe-w, upper bound, ibound 4%s\n' '' ', iteration '{1,2,5,10})" ] ||
    fail "$line: other steps: $(told)"
run 0 bound "$tmp/g.uai" -v --method wmbe-w --side upper --ibound 4 --iterations 9
[ "$(told | tail -1)" = 'wmbe-w, upper bound, ibound 4, iteration 5' ] || fail "$line: a step before its time"
run 0 compare "$tmp/g.uai" -v --methods wmbe-w,wmbe-wtheta --side upper --ibound 4 --iterations 2
for method in wmbe-w wmbe-wtheta; do
    [ "$(told | grep -c "^$method  *upper bound, ibound 4")" = 3 ] || fail "$line: other steps: $(told)"
done
run 0 thermo "$tmp/g.uai" -v --method wmbe-w --ibound 4 --iterations 1 --beta 0.5:1:2
for beta in 0.5 1; do
    grep -q "beta $beta .*wmbe-w, upper bound, ibound 4, iteration 1" "$err" || fail "$line: nothing of beta $beta"
done
