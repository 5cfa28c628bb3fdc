# `bound` and `exact`: the JSON that other programs rely on, report, trace, limits.
. "$(dirname "$0")/common.bash"
write_small "$tmp/m.uai"

check "every JSON key of the interface, with its type"
run 0 bound "$tmp/m.uai" --json --seed 7 --threads 1
for key in version model evidence variables factors max_cardinality width method form \
    order ibound seed threads log_lower log_upper log10_lower log10_upper rounding guaranteed \
    exact iterations stop seconds bytes side optimizer tolerance time_limit memory_limit \
    upper_by lower_by model_hash command build notes; do
    get "$key" >/dev/null || fail "no key $key"
done
key_is seed 7
key_is threads 1
key_is guaranteed true
key_is evidence null
near "$(get log10_upper)" "$(awk "BEGIN { print $small_log_z / log(10) }")" 1e-5
[ "$(wc -l <"$out")" = 1 ] || fail "JSON must be one line"

check "provenance: what ran, on what, within which limits"
[ "$(get model_hash | grep -cE '^[0-9a-f]{16}$')" = 1 ] || fail "model_hash"
key_is command.1 bound
key_is command.2 "$tmp/m.uai"
key_is command.7 1
key_is time_limit 10
get build.commit | grep -qE '^([0-9a-f]{12}|unknown)$' || fail "commit"
get build.compiler | grep -qE '^[A-Za-z]+ [0-9.]+$' || fail "compiler"
get build.kernels | grep -qE '^(avx512|avx2|sse2|portable)$' || fail "kernels"
hash=$(get model_hash)
run 0 bound "$tmp/m.uai" --json --time 3 --memory 64M --side upper --tolerance 0.5 \
    --method wmbe-w --optimizer paper --order natural --form original --ibound 2
key_is model_hash "$hash"
key_is time_limit 3
key_is memory_limit 67108864
key_is side upper
key_is tolerance 0.5
key_is optimizer paper
key_is upper_by.method wmbe-w
key_is upper_by.order natural
key_is upper_by.ibound 2
key_is lower_by null
run 0 exact "$tmp/m.uai" --json
key_is time_limit null
key_is lower_by.method be
echo '1 1 0' >"$tmp/e"
run 0 exact "$tmp/m.uai" "$tmp/e" --json
[ "$(get model_hash)" != "$hash" ] || fail "the evidence is not in the hash"
run 0 bound "$tmp/m.uai" --json --seed 7 --threads 1

check "the bare model, bound, and options anywhere give the same"
first=$(get log_upper)
for words in "$tmp/m.uai --json" "--json $tmp/m.uai" "--json bound $tmp/m.uai" \
    "bound --threads 2 $tmp/m.uai --json" "-- $tmp/m.uai"; do
    # shellcheck disable=SC2086
    run 0 $words
    [ "$words" = "-- $tmp/m.uai" ] || [ "$(get log_upper)" = "$first" ] || fail "$words"
done

check "exact: bucket elimination"
run 0 exact "$tmp/m.uai" --json
key_is method be
key_is exact true
key_is stop exact
near "$(get log_upper)" "$small_log_z" 1e-12
[ "$(get log_lower)" != "$(get log_upper)" ] || fail "an exact answer has a radius"
at_most "$(get log_lower)" "$(get log_upper)"
at_most 1e-17 "$(get rounding)"
near "$(get rounding)" 0 1e-13
run 0 exact "$tmp/m.uai"
shows '^ln Z +5\.31811999384[0-9]+ ± [1-9]e-1[3-5]$'
shows '^log10 Z +2\.309'
shows '^bits +7\.67'
shows 'exact'

check "an order by name and from a file"
for order in natural minfill mindegree minweight sweep random; do
    run 0 exact "$tmp/m.uai" --order $order --json
    near "$(get log_upper)" "$small_log_z" 1e-12
    key_is order $order
done
echo '5 4 3 2 1 0' >"$tmp/order"
run 0 exact "$tmp/m.uai" --order "$tmp/order" --json
near "$(get log_upper)" "$small_log_z" 1e-12
key_is order file

check "--per-variable"
run 0 exact "$tmp/m.uai" --per-variable --json
near "$(get log_upper_per_variable)" 1.0636239987688433 1e-12
run 0 exact "$tmp/m.uai" --per-variable
shows '^ln Z / n +1\.0636'

check "--uai: PR and log10"
run 0 exact "$tmp/m.uai" --uai "$tmp/m.PR"
[ "$(head -n 1 "$tmp/m.PR")" = PR ] || fail "PR"
near "$(tail -n 1 "$tmp/m.PR")" 2.3096301674258988 1e-12
run 2 exact "$tmp/m.uai" --uai "$tmp/no/such/place"
says 'cannot write'

check "--trace: JSON lines"
run 0 "$tmp/m.uai" --trace "$tmp/trace"
[ -s "$tmp/trace" ] || fail "the trace is empty"
while read -r row; do
    for key in seconds iteration side log_upper log_lower; do
        echo "$row" | "$JSON_GET" - $key >/dev/null || fail "trace: no $key in $row"
    done
done <"$tmp/trace"
run 2 "$tmp/m.uai" --trace "$tmp/no/such/place"

check "a model too wide for the memory: exit 4 with bytes and width"
run 0 generate ising --rows 40 --cols 40 -o "$tmp/wide.uai"
run 4 exact "$tmp/wide.uai" --memory 1M
says 'byte|KiB|MiB|GiB'
says 'width'

check "--quiet: nothing on stderr; a model without variables"
run 0 "$tmp/m.uai" --quiet
silent
printf 'MARKOV 0 0' >"$tmp/none.uai"
run 0 "$tmp/none.uai" --json
near "$(get log_upper)" 0 1e-300
near "$(get log_lower)" 0 1e-300

check "legal files that other tools get wrong"
value() { # MODEL LN_Z
    printf '%s' "$1" >"$tmp/l.uai"
    for command in bound exact; do
        run 0 $command "$tmp/l.uai" --json
        near "$(get log_lower)" "$2" 1e-9
        near "$(get log_upper)" "$2" 1e-9
    done
}
value 'MARKOV 1 3 1 0 1 10' 3.4011973816621555             # 3 states, a constant 10
value 'MARKOV 1 1 1 1 0 1 5' 1.6094379124341003             # cardinality 1
value 'BAYES 2 2 2 2 1 0 2 0 1 2 1 1 4 1 1 1 3' 1.791759469228055 # unnormalised
value 'MARKOV 1 2 2 1 0 1 0 2 1e-200 1e-200 2 1e-200 0' -921.03403719761827
value 'MARKOV 1 2 1 1 0 2 1e-300 1e300' 690.77552789821371

check "rounding goes outward: equal triangles, one and ten thousand, and Z = 1"
# triangles COPIES VALUE: spins in threes, every entry of every pair the same
triangles() {
    awk -v n="$1" -v x="$2" 'BEGIN {
        printf "MARKOV %d", 3 * n
        for (i = 0; i < 3 * n; i++) printf " 2"
        printf " %d", 3 * n
        for (i = 0; i < n; i++) for (j = 0; j < 3; j++)
            printf " 2 %d %d", 3 * i + j, 3 * i + (j + 1) % 3
        for (i = 0; i < 3 * n; i++) printf " 4 %s %s %s %s", x, x, x, x
        print "" }' >"$tmp/t.uai"
}
triangles 1 7 # ln 2744 = 7.917171988845775480..
run 0 "$tmp/t.uai" --json
at_most "$(get log_lower)" 7.917171988845775
at_most 7.917171988845776 "$(get log_upper)"
for copies in 1 10000; do
    triangles $copies 0.5 # Z = 1
    run 0 "$tmp/t.uai" --json
    key_is exact true
    at_most "$(get log_lower)" 0
    at_most 0 "$(get log_upper)"
    run 0 "$tmp/t.uai" --per-variable
    [ "$(grep -cE '^(ln Z|log10 Z|bits|ln Z / n) +0( ± [1-9]e-[0-9]+)?$' "$out")" = 4 ] ||
        fail "Z = 1 is 0 in every unit"
done

check "competition limits from the environment, beaten by options"
run 0 generate ising --rows 40 --cols 40 -o "$tmp/g.uai"
export INF_TIME=0.5 INF_MEMORY=0.5
run 0 "$tmp/g.uai" --uai "$tmp/g.PR" --json
key_is stop time
at_most "$(get seconds)" 9.9 # 10 without it
at_most "$(get bytes)" 536870912
at_most "$(get log10_lower)" "$(tail -n 1 "$tmp/g.PR")" # the middle, or an estimate
at_most "$(tail -n 1 "$tmp/g.PR")" "$(get log10_upper)"
unset INF_TIME INF_MEMORY

if [ -c /dev/full ]; then
    check "an answer that cannot be written: exit 1"
    code=0
    line="zbound m.uai >/dev/full"
    "$ZBOUND" "$tmp/m.uai" >/dev/full 2>"$err" || code=$?
    [ "$code" = 1 ] || fail "$line: expected exit code 1"
    says 'stdout: cannot write'
fi

check "one side only"
run 0 "$tmp/g.uai" --method mbe --ibound 6 --side upper --json
key_is log_lower null
key_is log10_lower null
key_is ibound 6
upper=$(get log_upper)
run 0 "$tmp/g.uai" --method mbe --ibound 6 --side lower --json
key_is log_upper null
at_most "$(get log_lower)" "$upper"
run 0 "$tmp/m.uai" --method bp --json
key_is log_lower null
key_is log_upper null
key_is guaranteed false
get log_estimate >/dev/null || fail "bp has no log_estimate"

check "draws are told where they say more than what is proved, and only there"
"$ZBOUND" generate ising --rows 30 --cols 30 --seed 7 -o "$tmp/wide.uai"
for limit in 0.3 1.5; do # before and after the first draws, or not: it holds anyway
    run 0 "$tmp/wide.uai" --time $limit --delta 1e-300
    awk '/^ln Z / { proved = $5 } /^likely / { if (!($4 < proved)) exit 1 }' "$out" ||
        fail "$line: a likely bracket that is no narrower"
done
