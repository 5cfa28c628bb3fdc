# `forney`: equivalent models, the same Z, every variable in two factors.
. "$(dirname "$0")/common.bash"
run 0 generate ising --rows 4 --cols 5 --seed 9 -o "$tmp/g.uai"
run 0 exact "$tmp/g.uai" --json
z=$(get log_upper)

check "every form has the same Z"
for form in forney lattice merged auto original; do
    run 0 forney "$tmp/g.uai" --form $form -o "$tmp/$form.uai" --json
    get result.variables >/dev/null || fail "no result"
    run 0 exact "$tmp/$form.uai" --json
    near "$(get log_upper)" "$z" 1e-9
done

check "in the Forney form every variable sits in two factors"
for form in forney lattice merged; do
    awk -v RS='[ \r\n]+' '
        NR == 2 { n = $1 }
        NR == n + 3 { factors = $1; left = 0; seen = 0 }
        NR > n + 3 && seen < factors {
            if (left == 0) { left = $1; if (left == 0) seen++ }
            else { degree[$1]++; if (--left == 0) seen++ }
        }
        END { for (v = 0; v < n; v++) if (degree[v] != 2) exit 1 }' "$tmp/$form.uai" ||
        fail "$form: a variable is not in two factors"
done

check "without -o the model goes to stdout; evidence is respected"
"$ZBOUND" forney "$tmp/g.uai" | "$ZBOUND" exact - --json >"$out" 2>"$err" || fail "pipe"
near "$(get log_upper)" "$z" 1e-9
echo '2 0 1 7 0' >"$tmp/e"
run 0 exact "$tmp/g.uai" "$tmp/e" --json
conditioned=$(get log_upper)
run 0 forney "$tmp/g.uai" "$tmp/e" -o "$tmp/c.uai"
shows '^form +forney: '
shows '^written '
run 0 exact "$tmp/c.uai" --json
near "$(get log_upper)" "$conditioned" 1e-9

check "a model that is no grid has no lattice form"
run 0 generate random --variables 9 --factors 12 -o "$tmp/r.uai"
run 2 forney "$tmp/r.uai" --form lattice -o "$tmp/x.uai"
says 'grid'
[ ! -e "$tmp/x.uai" ] || fail "a file was written"
run 2 forney "$tmp/g.uai" -o "$tmp/no/such/place"
