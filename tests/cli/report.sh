# --report: a page that says what stdout says, as a whole or not at all.
. "$(dirname "$0")/common.bash"

page=$tmp/page.html
glass=examples/spin_glass.uai

# has TEXT: the page contains it
has() { grep -qF -- "$1" "$page" || fail "$line: the page has no '$1'"; }
# alone: nothing else in its folder begins like it
alone() {
    local found
    found=$(find "$tmp" -name 'page.html*' | wc -l)
    [ "$found" = "$1" ] || fail "$line: $found files of the page, expected $1"
}

check "an exact answer: the digits of stdout, the model, the command"
run 0 exact "$glass" --report "$page"
has "$(sed -n 's/^ln Z *//p' "$out")"
has "$(sed -n 's/^log10 Z *//p' "$out")"
has "$(sed -n 's/^bits *//p' "$out")"
has '<tr><td>variables<td>256<td>256'
has "<span>$glass</span> <span>--report</span>"
has 'Widths along the elimination'
! grep -q 'The bracket over time' "$page" || fail "$line: there was no bracket to close"
! grep -q 'upper bound by' "$page" || fail "$line: an exact answer is not a bound of some method"
[ "$(tail -1 "$page")" = '</html>' ] || fail "$line: the page does not end"
alone 1

check "a bracket: both bounds, steps that begin and end, splits"
run 0 bound "$glass" --method wmbe-wtheta --ibound 8 --iterations 20 --report "$page"
read -r _ _ lower upper gap <<<"$(grep '^ln Z ' "$out")"
has "<td>$lower<td>$upper<td>"
has '>split<'
has 'The gap over time'
has '<th>from<th>until<th'
[ "$(grep -c "class='upper'" "$page")" -ge 2 ] || fail "$line: no steps"
numbers=$(awk '/The gap over time/ { on = 1 } on && /text-anchor=.end.>/ { n++ } on && n && /rotate/ { print n; exit }' "$page")
[ "${numbers:-0}" -ge 2 ] || fail "$line: an axis with $numbers numbers has no scale"

check "the page needs nothing but itself, and every chart has a name"
! grep -qiE '(src|href)="?(https?:)?//|@import|<script|url\(' "$page" ||
    fail "$line: the page points elsewhere"
[ "$(grep -c "<svg viewBox" "$page")" = "$(grep -c '^<title>' "$page" | awk '{ print $1 - 1 }')" ] ||
    fail "$line: a chart without a title"
[ "$(grep -o '<svg' "$page" | wc -l)" = "$(grep -o '</svg>' "$page" | wc -l)" ] ||
    fail "$line: a chart does not end"

check "compare: every method has its row, thermo: every beta"
run 0 compare "$glass" --ibound 4 --iterations 3 --methods be,mbe,trbp,bp,mf --report "$page"
while read -r method _; do
    [ "$method" = model ] || [ "$method" = method ] || [ -z "$method" ] || has "<tr><td>$method<td"
done <"$out"
has 'Brackets of the methods'
! grep -q '<tr><td>be<td>.*e-1' "$page" || fail "$line: the gap of an exact answer is rounding alone"
run 0 thermo "$glass" --beta 0.5:1:3 --report "$page"
for beta in 0.5 0.75 1; do has "<tr><td>$beta<td>"; done
run 0 thermo "$glass" --beta 0.5:1:3 --plot "$tmp/plot.svg"
! grep -q 'var(--' "$tmp/plot.svg" || fail "$line: a chart by itself has colours that viewers may not know"
[ "$(grep -c 'per variable</text>' "$page")" = 8 ] || fail "$line: two times four curves"

check "marginals: the numbers of --csv, names, bars; intervals where they are not exact"
run 0 marginals examples/asia.bif -e smoker=yes --csv --report "$page"
while IFS=, read -r scope state value _; do
    [ "$scope" = scope ] || has "<td class=words>$state<td>$(printf '%.6g' "$value")<td><svg"
done <"$out"
has '<tr><td>lung<td'
has 'Exact, but for rounding'
! grep -q 'proved interval' "$page" || fail "$line: exact values have no interval"
"$ZBOUND" generate ising --rows 9 --cols 12 --seed 5 -o "$tmp/wide.uai"
run 0 marginals "$tmp/wide.uai" --ibound 3 --iterations 3 --report "$page"
has 'lattice of 9 rows and 12 columns'
has 'Probability of value 1'
has 'Width of the proved interval'
has 'How certain the variables are'
run 0 marginals "$tmp/wide.uai" --variables "$(seq -s, 0 15)" --report "$page"
! grep -q 'More variables' "$page" || fail "$line: 32 rows are seen at once"
run 0 marginals "$tmp/wide.uai" --variables "$(seq -s, 0 16)" --report "$page"
has '<details><summary>More variables'
run 0 marginals "$tmp/wide.uai" --variables 3,7 --report "$page"
! grep -q 'lattice' "$page" || fail "$line: two variables are no lattice"

check "which models are lattices: tori, triangles; not three dimensions, nor trees"
lattice() { # ROWSxCOLS or none; generator options
    local want=$1 found
    shift
    run 0 generate "$@" -o "$tmp/any.uai"
    run 0 sample "$tmp/any.uai" -n 2 -o "$tmp/states.txt" --time 0 --report "$page" --quiet
    found=$(sed -n 's/.*lattice of \([0-9]*\) rows and \([0-9]*\) columns.*/\1x\2/p' "$page")
    [ "${found:-none}" = "$want" ] || fail "$line: '$*' is '$found', expected $want"
}
lattice 5x7 ising --rows 5 --cols 7 --field 0
lattice 7x5 ising --rows 7 --cols 5 --periodic
lattice 4x6 ising --rows 4 --cols 6 --lattice triangular
lattice 3x4 ising --rows 3 --cols 4 --states 3
lattice none ising --rows 4 --cols 4 --layers 3
lattice none tree --variables 30
lattice none random --variables 12 --arity 3

check "sample: how many, how they were accepted, what they are worth"
run 0 sample "$glass" -n 30 -o "$tmp/states.txt" --time 0 --report "$page" --quiet
has '30 independent states'
has '<td>100 % of the draws'
has '30 of 30'
[ "$(grep -c '^<title>State [0-9]' "$page")" = 8 ] || fail "$line: eight pictures"
run 0 sample "$glass" -n 200 --weighted --ibound 6 --iterations 20 -o "$tmp/draws.txt" --time 0 --report "$page" --quiet
# ln of the mean weight and the effective number, from the file
read -r mean effective <<<"$(awk '
    { w[NR] = $1; if (NR == 1 || $1 > top) top = $1 }
    END { for (i = 1; i <= NR; i++) { e = exp(w[i] - top); s += e; q += e * e }
          printf "%.9g %.6g", top + log(s / NR), s * s / q }' "$tmp/draws.txt")"
has "$mean, standard error"
has "$effective of 200"
run 2 sample "$glass" --report "$tmp/no/page.html"
run 2 map "$glass" --report "$page"

check "names are text"
mkdir "$tmp/<b>&"
cp "$glass" "$tmp/<b>&/x.uai"
run 0 exact "$tmp/<b>&/x.uai" --report "$page"
has '&lt;b&gt;&amp;'
! grep -qF '<b>' "$page" || fail "$line: a name became a tag"

check "the same numbers with and without a page, where no clock ends the run"
run 0 exact "$glass" --json
plain=$("$JSON_GET" "$out" log_upper)
run 0 exact "$glass" --json --report "$page"
[ "$plain" = "$("$JSON_GET" "$out" log_upper)" ] || fail "$line: another number"

check "small models: nothing is left, one variable, Z = 0, no variable"
printf 'MARKOV 1 2 1 1 0 2 1 3\n' >"$tmp/one.uai"
printf 'MARKOV 1 2 1 1 0 2 0 0\n' >"$tmp/zero.uai"
printf 'MARKOV 0 0\n' >"$tmp/none.uai"
for model in one zero none; do
    run 0 bound "$tmp/$model.uai" --report "$page" --quiet
    has '</html>'
    ! grep -qiE 'nan|inf[^o]' <(sed '/<style>/,/<\/style>/d' "$page") || fail "$line: a number that is none"
done
for method in bp trbp mf; do
    run 0 bound "$glass" --method $method --iterations 5 --report "$page"
    has '</html>'
done

check "a place that cannot be written is found out before the work"
rm -f "$page"
run 2 bound "$glass" --report "$tmp/no/page.html"
grep -q 'report' "$err" || fail "$line: which option?"
run 2 bound "$glass" --report "$tmp"
run 2 bound "$glass" --report -
run 0 exact "$glass" --report /dev/null

check "no answer, no page: what was there stays"
echo before >"$page"
run 4 exact "$glass" --memory 1K --report "$page"
[ "$(cat "$page")" = before ] || fail "$line: the old page is gone"
alone 1

check "Ctrl-C gives a page with the bounds so far"
"$ZBOUND" generate ising --rows 40 --cols 40 --seed 1 -o "$tmp/large.uai"
interrupt INT 1 bound "$tmp/large.uai" --time 1000 --report "$page"
[ "$code" = 130 ] || fail "$line: expected exit code 130"
has 'interrupted'
alone 1
