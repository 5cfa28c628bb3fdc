# `compare`: methods side by side; table, CSV and JSON with the same content.
. "$(dirname "$0")/common.bash"
run 0 generate ising --rows 5 --cols 5 --seed 4 -o "$tmp/g.uai"
run 0 exact "$tmp/g.uai" --json
z=$(get log_upper) z_least=$(get log_lower) # ln Z is between them

check "JSON: one row per method, each on the right side of ln Z"
run 0 compare "$tmp/g.uai" --json --time 20 --ibound 4 --iterations 20
rows=$(get methods)
key_is methods.0.method be
key_is methods.0.log_upper "$z"
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
    [ "$upper" = null ] || at_most "$z_least" "$upper"
    [ "$lower" = null ] || at_most "$lower" "$z"
done
check "$answered of $rows methods answered"
[ "$answered" -ge 2 ] || fail "too few methods"

check "CSV: the same rows and a header"
run 0 compare "$tmp/g.uai" --csv --time 20 --ibound 4 --iterations 20 --methods be,mbe
[ "$(head -n 1 "$out" | cut -d , -f 1-4)" = method,lower,upper,gap ] || fail "header"
[ "$(wc -l <"$out")" = 3 ] || fail "rows"
[ "$(sed -n 2p "$out" | cut -d , -f 3)" = "$z" ] || fail "ln Z is another one"
[ "$(awk -F , '{ print NF }' "$out" | sort -u)" = 15 ] || fail "ragged columns"
[ "$(head -n 1 "$out" | cut -d , -f 15)" = rounding ] || fail "no rounding"
awk -F , 'NR > 1 && !($15 > 0 && $15 < 1e-9) { exit 1 }' "$out" || fail "rounding"

check "the table"
run 0 compare "$tmp/g.uai" --time 20 --methods be,mbe
shows '^method +lower +upper +gap +iterations +seconds +guaranteed'
shows '^be .*exact$'

check "wrong methods: exit 2 and the nearest"
run 2 compare "$tmp/g.uai" --methods mbe,wmbe-wgg
says "'wmbe-wgg' is not a method; did you mean wmbe-wg\?"
