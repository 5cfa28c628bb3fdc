# `compare`: methods side by side; table, CSV and JSON with the same content.
. "$(dirname "$0")/common.bash"
run 0 generate ising --rows 5 --cols 5 --seed 4 -o "$tmp/g.uai"
run 0 exact "$tmp/g.uai" --json
z=$(get log_upper)

check "JSON: one row per method, each on the right side of ln Z"
run 0 compare "$tmp/g.uai" --json --time 20 --ibound 4 --iterations 20
rows=$(get methods)
key_is methods.0.method be
near "$(get methods.0.log_upper)" "$z" 1e-9
answered=0
for ((i = 0; i < rows; i++)); do
    name=$(get methods.$i.method) || fail "row $i has no method"
    problem=$(get methods.$i.error) || fail "row $i has no error key"
    [ "$problem" = null ] || { echo "  $name: $problem"; continue; }
    answered=$((answered + 1))
    for key in gap log_estimate iterations seconds guaranteed exact form order ibound stop; do
        get methods.$i.$key >/dev/null || fail "$name has no $key"
    done
    [ "$(get methods.$i.guaranteed)" = true ] || continue
    upper=$(get methods.$i.log_upper) lower=$(get methods.$i.log_lower)
    [ "$upper" = null ] || at_most "$z" "$(awk "BEGIN { printf \"%.17g\", $upper + 1e-9 }")"
    [ "$lower" = null ] || [ "$lower" = -inf ] ||
        at_most "$(awk "BEGIN { printf \"%.17g\", $lower - 1e-9 }")" "$z"
done
check "$answered of $rows methods answered"
[ "$answered" -ge 2 ] || fail "too few methods"

check "CSV: the same rows and a header"
run 0 compare "$tmp/g.uai" --csv --time 20 --ibound 4 --iterations 20 --methods be,mbe
[ "$(head -n 1 "$out" | cut -d , -f 1-4)" = method,lower,upper,gap ] || fail "header"
[ "$(wc -l <"$out")" = 3 ] || fail "rows"
near "$(sed -n 2p "$out" | cut -d , -f 3)" "$z" 1e-9
[ "$(awk -F , '{ print NF }' "$out" | sort -u)" = 14 ] || fail "ragged columns"

check "the table"
run 0 compare "$tmp/g.uai" --time 20 --methods be,mbe
shows '^method +lower +upper +gap +iterations +seconds +guaranteed'
shows '^be .*exact$'

check "wrong methods: exit 2 and the nearest"
run 2 compare "$tmp/g.uai" --methods mbe,wmbe-wgg
says "'wmbe-wgg' is not a method; did you mean wmbe-wg\?"
