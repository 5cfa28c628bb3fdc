# The public models, one of each family: `info`, and `exact` where it is a matter of seconds.
. "$(dirname "$0")/common.bash"
data=../shared/data
if [ ! -f $data/exact.csv ]; then
    echo "skipped: public models ($data is absent)"
    exit 77
fi

solved=0 seen=0 last=
while IFS=, read -r family model log_z; do
    file=$data/$family/$model.gz
    [ "$family" != family ] && [ -f "$file" ] || continue
    [ "$family" != "$last" ] || continue # one of each family
    last=$family
    seen=$((seen + 1))
    run 0 info "$file" --json
    silent
    entries=$(get exact.entries) bytes=$(get exact.bytes) variables=$(get variables)
    at_most "$(get reduced.variables)" "$variables"
    if awk "BEGIN { exit !($entries > 1e8 || $bytes > 5e8) }"; then continue; fi
    run 0 exact "$file" --json
    key_is exact true
    # the 12 digits that are known: a unit of the last of them
    digit=$(awk "BEGIN { x = $log_z; print exp(log(10) * (int(log(x < 0 ? -x : x) / log(10)) - 11)) }")
    at_most "$(get log_lower)" "$(awk "BEGIN { printf \"%.17g\", $log_z + $digit }")"
    at_most "$(awk "BEGIN { printf \"%.17g\", $log_z - $digit }")" "$(get log_upper)"
    solved=$((solved + 1))
done <$data/exact.csv
check "$solved of $seen models with a known ln Z, to 12 digits"
[ "$solved" -ge 4 ] || fail "too few"
