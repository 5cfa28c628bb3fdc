# `thermo`: curves against sums over all states, and against Kaufman's formula.
. "$(dirname "$0")/common.bash"

# truth FILE BETA: ln Z, mean energy, entropy, heat capacity of a list of couplings and
# fields from 1 on, by a sum over all states
truth() {
    awk -v beta="$2" '
        NR == 1 { n = $1; next }
        NF == 3 { a[++m] = $1; b[m] = $2; j[m] = $3 }
        NF == 2 { a[++m] = $1; b[m] = 0; j[m] = $2 }
        END {
            for (x = 0; x < 2 ^ n; x++) {
                for (v = 1; v <= n; v++)
                    s[v] = int(x / 2 ^ (v - 1)) % 2 * 2 - 1
                s[0] = 1
                e = 0
                for (k = 1; k <= m; k++)
                    e -= j[k] * s[a[k]] * s[b[k]]
                w = exp(-beta * e)
                z += w; u += w * e; q += w * e * e
            }
            u /= z
            printf "%.15g %.15g %.15g %.15g\n", log(z), u, log(z) + beta * u,
                beta * beta * (q / z - u * u)
        }' "$1"
}

# holds VALUE LOWER UPPER: up to the rounding of awk's sums
holds() {
    awk -v x="$1" -v l="$2" -v u="$3" 'BEGIN { t = 1e-12 * (1 + (x < 0 ? -x : x))
        exit !(l <= x + t && x <= u + t) }' || fail "$line: $1 is not in [$2, $3]"
}

printf '9 12\n' >"$tmp/glass"
awk 'BEGIN { srand(3)
    for (r = 0; r < 3; r++) for (c = 0; c < 3; c++) { v = 3 * r + c + 1
        if (c < 2) print v, v + 1, rand() < 0.5 ? -1 : 1
        if (r < 2) print v, v + 3, rand() < 0.5 ? -1 : 1 } }' >>"$tmp/glass"
printf '5 0.3\n9 -0.7\n' >>"$tmp/glass"

check "a glass of nine spins: every bracket holds the truth"
compare_all() { # WIDTH ARGUMENT...: the energy's bracket is at most so wide
    local width=$1 rows=0
    shift
    run 0 thermo "$tmp/glass" "$@" --csv
    sed -i 's/inf/1e308/g' "$out" # which awk knows
    while IFS=, read -r beta zl zu fl fu ul uu sl su c exact seconds; do
        [ "$beta" != beta ] || continue
        read -r z u s heat <<<"$(truth "$tmp/glass" "$beta")"
        holds "$z" "$zl" "$zu"
        holds "$u" "$ul" "$uu"
        holds "$s" "$sl" "$su"
        [ "$beta" = 0 ] || holds "$(awk -v z="$z" -v b="$beta" 'BEGIN { printf "%.15g", -z / b }')" "$fl" "$fu"
        [ -z "$c" ] || near "$c" "$heat" 1e-4
        awk -v w="$width" -v l="$ul" -v u="$uu" 'BEGIN { exit !(u - l <= w) }' ||
            fail "$line: the energy lies in [$ul, $uu] only"
        rows=$((rows + 1))
    done <"$out"
    [ "$rows" -ge 3 ] || fail "$line: $rows rows"
}
compare_all 1e-4 --beta 0:2:5
compare_all 1e-4 --beta=-1,0.5,0.25
grep -qE '^-1,' "$out" || fail "betas are in order"

check "bounds that are not exact, each from the state of the one before"
compare_all 24 --beta 0.2:1:5 --method wmbe-wtheta --ibound 2 --iterations 20
compare_all 24 --beta 0.2:1:5 --method wmbe-wtheta --ibound 2 --form original --order natural
cut -d, -f11 "$out" | grep -q 0 || fail "nothing was split: the test is too easy"

check "a ferromagnet on a torus of 6 x 6, against Kaufman's formula"
"$ZBOUND" generate ising --rows 6 --cols 6 --periodic --couplings uniform -o "$tmp/f.uai"
kaufman() { # BETA LN_Z ENERGY HEAT
    run 0 thermo "$tmp/f.uai" --beta "$1" --csv
    IFS=, read -r beta zl zu fl fu ul uu sl su c exact seconds < <(tail -1 "$out")
    holds "$2" "$zl" "$zu"
    holds "$3" "$ul" "$uu"
    near "$c" "$4" 1e-4
}
kaufman 0.1 25.3163402695263 -7.32259373729 0.7573686615
kaufman 0.4 32.0572949126831 -46.0827989387 36.22430141
kaufman 0.8 58.3583433759501 -71.4546306345 2.988346727

check "JSON, text, a plot"
run 0 thermo "$tmp/f.uai" --beta 0.1:0.2:2 --json
key_is betas 2
key_is variables 36
near "$(get rows.0.log_z_lower)" 25.3163402695263 1e-10
run 0 thermo "$tmp/f.uai" --beta 0.1
shows 'free energy +mean energy +entropy +heat capacity'
shows 'k = 1'
run 0 thermo "$tmp/f.uai" --beta 0.1:0.9:5 --plot "$tmp/f.svg"
[ "$(grep -c 'per variable</text>' "$tmp/f.svg")" = 4 ] || fail "no plot of four curves"
[ "$(tail -1 "$tmp/f.svg")" = '</svg>' ] || fail "the plot does not end"
run 2 thermo "$tmp/f.uai" --beta 0.1 --plot "$tmp/no/f.svg"

check "evidence, and Z = 0"
run 0 thermo "$tmp/glass" --beta 1 --evidence 1=-1 --csv
printf 'MARKOV 1 2 1 1 0 2 0 0' >"$tmp/zero.uai"
run 0 thermo "$tmp/zero.uai" --beta 0,1 --json

check "wrong requests"
for beta in 1:2 1:2:0 1:2:1.5 1:2:3:4 x 1,,2 1,1 inf; do
    run 2 thermo "$tmp/glass" --beta "$beta"
done
run 2 thermo "$tmp/glass"
says "--beta FROM:TO:COUNT is missing"
run 2 thermo "$tmp/glass" --beta 1e305

check "the time is for all betas; a signal ends with the rows so far"
"$ZBOUND" generate ising --rows 30 --cols 30 --seed 7 -o "$tmp/large.uai"
started=$(date +%s%N)
run 0 thermo "$tmp/large.uai" --beta 0.5:1:3 --time 3 --csv
[ "$(wc -l <"$out")" = 4 ] || fail "$line: rows are missing"
[ $((($(date +%s%N) - started) / 1000000)) -lt 5000 ] || fail "$line: too long"
interrupt INT 2 thermo "$tmp/large.uai" --beta 0.5:1:40 --time 12 --csv
[ "$code" = 130 ] || fail "$line: exit code $code"
rows=$(($(wc -l <"$out") - 1))
[ "$rows" -ge 1 ] && [ "$rows" -lt 40 ] || fail "$line: $rows rows"
says "interrupted after $rows of 40 betas"
