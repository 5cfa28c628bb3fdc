# `info`: sizes before and after reduction, width, bytes, forecast.
. "$(dirname "$0")/common.bash"
write_small "$tmp/m.uai"

check "the JSON keys of docs/json.md"
run 0 generate ising --rows 6 --cols 7 -o "$tmp/g.uai"
run 0 info "$tmp/g.uai" --json
for key in version model evidence variables factors max_cardinality max_arity entries \
    zeros zero_share largest_table observed evidence_file cardinalities arities \
    reduced.variables reduced.factors reduced.entries reduced.zeros \
    reduced.max_cardinality reduced.max_arity reduced.components \
    reduced.largest_component reduced.log_constant reduced.rounding reduced.values_removed order width \
    memory exact.width exact.largest_table exact.entries exact.bytes exact.fits \
    forecast.0.ibound forecast.0.largest_table forecast.0.entries forecast.0.bytes \
    forecast.0.splits forecast.0.seconds forecast.0.fits forecast.0.exact; do
    get $key >/dev/null || fail "no key $key"
done
key_is variables 42
key_is type MARKOV
key_is factors 113
key_is cardinalities.2 42
key_is arities.1 42
key_is arities.2 71
key_is reduced.components 1
at_most 6 "$(get width)"
at_most "$(get width)" 9
key_is exact.width "$(get width)"

check "the forecast grows with the ibound and ends exact"
rows=$(get forecast)
key_is forecast.0.ibound 2
key_is forecast.$((rows - 1)).exact true
key_is forecast.$((rows - 1)).splits 0
for ((i = 1; i < rows; i++)); do
    at_most "$(get forecast.$((i - 1)).largest_table)" "$(get forecast.$i.largest_table)"
    at_most "$(get forecast.$i.splits)" "$(get forecast.$((i - 1)).splits)"
done

check "a memory limit cuts the forecast"
run 0 generate ising --rows 40 --cols 40 -o "$tmp/wide.uai"
run 0 info "$tmp/wide.uai" --memory 64M --json
key_is exact.fits false
key_is memory 67108864
rows=$(get forecast)
key_is forecast.$((rows - 1)).fits false
at_most "$rows" 30

check "the forecast in a sentence"
run 0 info "$tmp/wide.uai" --memory 64M
shows '^forecast +exact needs [0-9.]+ TiB and about .*; ibound 1[0-9] fits in 64 MiB, about .* a pass$'
run 0 info "$tmp/g.uai"
shows '^forecast +exact needs [0-9.]+ KiB and about .*: it fits$'
run 0 info "$tmp/wide.uai" --memory 1K
shows '; no ibound fits in 1 KiB$'

check "reduction: evidence, zeros, a variable in no factor"
printf 'MARKOV 3 2 3 2 2 2 0 1 2 1 2 6 1 0 0 0 1 1 6 1 1 1 1 1 1' >"$tmp/z.uai"
echo '1 0 0' >"$tmp/z.evid"
run 0 info "$tmp/z.uai" "$tmp/z.evid" --json
key_is variables 3
key_is observed 1
key_is zeros 3
key_is zero_share 0.25
key_is reduced.variables 0
key_is evidence_file.grammar plain
key_is evidence_file.found_beside_model false
awk -v z="$(get reduced.log_constant)" -v r="$(get reduced.rounding)" 'BEGIN {
    off = z - 0.69314718055994531; exit !(off <= r && -off <= r && r < 1e-14) }' || fail "ln 2"
run 0 info "$tmp/z.uai" "$tmp/z.evid"
shows 'ln Z = 0\.69314718055994[0-9]* ± [0-9.]+e-1[56]$'

printf 'BAYES 1 2 1 1 0 2 1 3' >"$tmp/b.uai"
run 0 info "$tmp/b.uai" --json
key_is type BAYES

check "the report in words"
run 0 info "$tmp/g.uai"
shows '^model +.*42 variables, 113 factors'
shows '^values +2 \(42\)'
shows 'as read +reduced'
shows 'width [6-9]'
shows 'ibound +largest table'
silent
run 0 generate tree -o "$tmp/t.uai"
run 0 info "$tmp/t.uai"
shows 'nothing is left to sum'
