# The paper's figures in their quick version: what has to hold whatever the numbers are.
# long_linkage.sh has them with linkage models; here pedigrees are generated, whatever
# lies beside the project.
. "$(dirname "$0")/common.bash"
dir=$tmp/figures
ZBOUND=$(realpath "$ZBOUND") JSON_GET=$(realpath "$JSON_GET")
mkdir "$tmp/away" && cd "$tmp/away" || fail "no directory"

run 2 experiment fig2z --out "$dir"
says "did you mean fig2"
run 2 experiment fig2a
says "out DIR"
run 2 experiment fig2e --out "$dir" --data "$tmp"
says "no .uai"
run 2 bound --quick x.uai
check "wrong names and missing options"

run 0 experiment all --quick --out "$dir"
shows "rows computed, 0 found"
figures="fig2a fig2b fig2c fig2d fig2e fig3a fig3b fig3c fig3d"
says "generated pedigrees"
for figure in $figures; do
    [ -s "$dir/$figure.csv" ] || fail "no $figure.csv"
done

# family 1, ibound 2, T 3, seed 4, method 5, form 6, optimizer 7, iterations 8,
# log_upper 9, log_z 10, seconds 11, order 12, passes 13, stop 14, instance 15
for figure in $figures; do
    awk -F, '
        NR == 1 { if ($0 !~ /^family,ibound,T,seed,method,form,optimizer,iterations,log_upper,log_z,seconds,/) bad("header"); next }
        NF != 15 { bad("fields") }
        $10 != "" && $9 != "" {
            if ($9 < $10) bad("a bound below ln Z") # of which this is the lower end
            known++
        }
        function bad(why) { print why ": " $0; failed = 1 }
        END { exit failed || known == 0 }' "$dir/$figure.csv" >>"$err" ||
        fail "$figure.csv"
done
check "every bound is above ln Z"

# The tuned methods with the paper steps start at wmbe and keep the best.
for figure in fig2a fig2b fig2c fig2d fig2e; do
    awk -F, '
        $5 == "wmbe" { start[$1, $3, $4, $15] = $9; n++ }
        $7 == "paper" && $5 ~ /^wmbe-/ { row[++m] = $0 }
        END {
            for (i = 1; i <= m; i++) {
                split(row[i], f, ",")
                s = start[f[1], f[3], f[4], f[15]]
                if (s == "" || f[9] > s + 1e-9 * (s < 0 ? -s : s)) {
                    print "above wmbe: " row[i]
                    failed = 1
                }
            }
            exit failed || m == 0 || n == 0
        }' "$dir/$figure.csv" >>"$err" || fail "$figure.csv: orderings"
done
check "tuned bounds are not above wmbe"

# Curves begin at one point and never rise.
for figure in fig3a fig3b fig3c fig3d; do
    awk -F, '
        $5 ~ />/ {
            key = $5 " " $7
            if ($8 == 0 && curves++ == 0) first = $9
            d = $9 - first
            if ($8 == 0 && (d > 1e-9 * first || -d > 1e-9 * first)) bad("another start")
            if ($8 > 0 && ($8 != at[key] + 1 || $9 > last[key])) bad("rises or leaps")
            at[key] = $8; last[key] = $9
        }
        function bad(why) { print why ": " $0; failed = 1 }
        END { for (k in at) if (at[k] != 75) failed = 1; exit failed || curves != 12 }' \
        "$dir/$figure.csv" >>"$err" || fail "$figure.csv: curves"
done
check "curves fall from one start"

# Once more: nothing to do. With rows lost and one cut short: these are computed again,
# to the same numbers, whatever the number of jobs.
cp "$dir/fig2a.csv" "$tmp/before.csv"
run 0 experiment fig2a --quick --out "$dir" --jobs 1
shows "^0 rows computed, 102 found"
cmp -s "$dir/fig2a.csv" "$tmp/before.csv" || fail "a second run changed the file"
{ head -n 60 "$tmp/before.csv"; printf 'ising,4,1.0'; } >"$dir/fig2a.csv"
run 0 experiment fig2a --quick --out "$dir" --jobs 1
shows "^43 rows computed, 59 found"
cut -d, -f1-10,12- "$tmp/before.csv" >"$tmp/a"
cut -d, -f1-10,12- "$dir/fig2a.csv" >"$tmp/b"
cmp -s "$tmp/a" "$tmp/b" || fail "rows computed again differ"
check "resumed where it was, the same numbers"

run 0 experiment fig2a --quick --out "$dir" --variance --seed 5 --quiet
silent
grep -q '^ising-variance,4,1.0,6,wmbe-wg,lattice,paper,75,' "$dir/fig2a.csv" ||
    fail "no rows of the variance reading"
grep -q '^ising,4,1.0,1,wmbe-wg,lattice,paper,75,' "$dir/fig2a.csv" ||
    fail "rows of other settings were lost"

grep -q '^pedigree-small,6,,2,wmbe-wg,forney,paper,50,' "$dir/fig2e.csv" ||
    fail "no rows of generated pedigrees"

for plot in $figures fig2{c,d}-{error,random}; do
    [ "$(tail -1 "$dir/$plot.svg")" = '</svg>' ] || fail "no plot of $plot"
    for panel in "A: the paper's steps" "B: zbound's default"; do
        grep -qF "$panel" "$dir/$plot.svg" || fail "$plot has no panel $panel"
    done
done
for plot in fig2b fig2c-error fig2d-error; do
    grep -q 'lower border' "$dir/$plot.svg" || fail "$plot has no logarithmic axis"
done
grep -q 'n = 2 models for each T; marks are means, bars their standard error' \
    "$dir/fig2a.svg" || fail "fig2a: what are its bars?"
run 0 experiment fig3a --quick --out "$tmp/plain"
[ "$(grep -c '<svg viewBox' "$tmp/plain/index.html")" = 1 ] || fail "the page lacks its plot"
grep -q '<span>fig3a</span> <span>--quick</span>' "$tmp/plain/index.html" || fail "the page lacks its command"
! grep -qE '(src|href) *= *["'\'']?(http|/)' "$tmp/plain/index.html" ||
    fail "the page needs other files"
check "plots and a page that holds them"
