# The paper's figure of linkage models, with those in ../shared: bounds, and no pedigrees.
. "$(dirname "$0")/common.bash"
if [ ! -d ../shared/data/linkage ]; then
    echo "skipped: linkage models (../shared/data/linkage is absent)"
    exit 77
fi

run 0 experiment fig2e --quick --data ../shared/data/linkage --out "$tmp/figures"
if grep -q "generated pedigrees" "$err"; then fail "$line: the models were not found"; fi
grep -q '^linkage,' "$tmp/figures/fig2e.csv" || fail "$line: no rows of linkage models"
check "every bound is above ln Z"
awk -F, '
    NR > 1 && $10 != "" && $9 != "" {
        if ($9 < $10) { print; failed = 1 } # the lower end of ln Z
        known++
    }
    END { exit failed || known == 0 }' "$tmp/figures/fig2e.csv" >>"$err" || fail "fig2e.csv"
