# `order`: width and cost, and a file that can be used again.
. "$(dirname "$0")/common.bash"
run 0 generate ising --rows 8 --cols 8 -o "$tmp/g.uai"

check "every rule gives a permutation; auto is not dearer than the naive ones"
run 0 order "$tmp/g.uai" --json
at_most 8 "$(get width)"
at_most "$(get width)" 11
key_is order auto
best=$(get total_entries)
for rule in natural minfill mindegree minweight minsplit sweep random; do
    run 0 order "$tmp/g.uai" --order $rule --json -o "$tmp/$rule.order"
    key_is order $rule
    case $rule in natural | random) at_most "$best" "$(get total_entries)" ;; esac
    tr -s ' ' '\n' <"$tmp/$rule.order" | tail -n +2 | sort -n >"$tmp/sorted"
    seq 0 63 | cmp -s - "$tmp/sorted" || fail "$rule: not a permutation"
    [ "$(head -n 1 "$tmp/$rule.order" | cut -d ' ' -f 1)" = 64 ] || fail "$rule: count"
done

check "a written order has the same cost when read"
run 0 order "$tmp/g.uai" --order minfill --json
width=$(get width) total=$(get total_entries)
run 0 order "$tmp/g.uai" --order "$tmp/minfill.order" --json
key_is order file
key_is width "$width"
key_is total_entries "$total"

check "the same seed, the same order; -o - writes the order on stdout"
run 0 order "$tmp/g.uai" --order random --seed 5 -o -
cp "$out" "$tmp/first"
run 0 order "$tmp/g.uai" --order random --seed 5 -o -
cmp -s "$out" "$tmp/first" || fail "seed 5 gave two orders"
run 0 order "$tmp/g.uai" --order random --seed 6 -o -
if cmp -s "$out" "$tmp/first"; then fail "seeds 5 and 6 gave one order"; fi

check "the report in words; evidence narrows"
run 0 order "$tmp/g.uai" --order sweep
shows '^width +8$'
shows '^largest +512 entries'
seq 0 7 | awk 'BEGIN { printf "8" } { printf " %d 0", 24 + $1 } END { print "" }' \
    >"$tmp/e"
run 0 order "$tmp/g.uai" "$tmp/e" --json
at_most "$(get width)" 6
run 2 order "$tmp/g.uai" -o "$tmp/no/such/place"
