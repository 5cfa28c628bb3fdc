# Competition mode: the result file, the environment's limits; the live line.
. "$(dirname "$0")/common.bash"
run 0 generate ising --rows 40 --cols 40 --seed 2 -o "$tmp/m.uai"
pr=$tmp/m.PR

# lines_of FILE: PR, a number, then -BEGIN- and a number again and again
lines_of() {
    awk 'function number(x) { return x ~ /^-?([0-9.]+(e[-+]?[0-9]+)?|inf)$/ }
        NR == 1 && $0 != "PR" { exit 1 }
        NR > 1 && NR % 2 == 0 && !number($0) { exit 1 }
        NR > 1 && NR % 2 == 1 && $0 != "-BEGIN-" { exit 1 }
        END { exit NR < 2 || NR % 2 }' "$1" || fail "$line: $(head -n 5 "$1")"
}

check "--uai: improvements as they come, the last the middle of the bracket"
run 0 generate ising --rows 20 --cols 20 --seed 2 -o "$tmp/g.uai"
run 0 "$tmp/g.uai" --uai "$pr" --time 0 --memory 1M --ibound 4 --json
lines_of "$pr"
[ "$(grep -c BEGIN "$pr")" -ge 2 ] || fail "$line: no improvements"
near "$(tail -n 1 "$pr")" \
    "$(awk "BEGIN { print ($(get log10_lower) + $(get log10_upper)) / 2 }")" 1e-3

check "what is in the file while the program runs"
rm "$pr"
"$ZBOUND" "$tmp/m.uai" --uai "$pr" --time 500 --memory 256M >"$out" 2>"$err" &
child=$!
two_lines() { [ "$(grep -c BEGIN "$pr" 2>/dev/null)" -ge 2 ] 2>/dev/null; }
wait_until two_lines
kill -0 $child 2>/dev/null || fail "it ended early"
[ "$(grep -c BEGIN "$pr")" -ge 2 ] || fail "nothing was flushed"
kill -TERM $child
code=0
wait $child || code=$?
[ $code = 143 ] || fail "SIGTERM: exit code $code"
lines_of "$pr"

check "exact: one value"
run 0 generate tree -o "$tmp/t.uai"
run 0 "$tmp/t.uai" --uai "$pr" --json
lines_of "$pr"
near "$(tail -n 1 "$pr")" "$(get log10_upper)" 1e-9

check "Z = 0 is -inf"
printf 'MARKOV 1 2 1 1 0 2 0 0' >"$tmp/z.uai"
run 0 "$tmp/z.uai" --uai "$pr"
[ "$(tail -n 1 "$pr")" = -inf ] || fail "$line: $(cat "$pr")"

check "limits in the environment; options win; without --uai they are not looked at"
limited() { # NAME=VALUE.. -- ARGUMENT..
    local set=()
    while [ "$1" != -- ]; do set+=("$1"); shift; done
    shift
    line="${set[*]} zbound $*"
    env "${set[@]}" "$ZBOUND" "$@" --json >"$out" 2>"$err" || fail "$line"
}
for name in INF_TIME UAI_TIME TIMESEC; do
    limited $name=0.5 -- "$tmp/m.uai" --uai "$pr" --memory 1G # which is no limit here
    at_most "$(get seconds)" 9.9 # 10 without it
    key_is stop time
done
limited INF_TIME=1000 -- "$tmp/m.uai" --uai "$pr" --time 0.5 --memory 64M
at_most "$(get seconds)" 100
for setting in INF_MEMORY=0.004 UAI_MEMORY=0.004 MEMKB=4000; do
    limited $setting -- "$tmp/m.uai" --uai "$pr" --time 0.5
    at_most "$(get bytes)" 4294967
done
limited INF_MEMORY=1000 -- "$tmp/m.uai" --uai "$pr" --memory 4M --time 0.5
at_most "$(get bytes)" 4194304
limited TIMESEC=nonsense MEMKB=-3 -- "$tmp/t.uai" --uai "$pr"

check "a pipe in place of a terminal gets no live line"
run 0 "$tmp/m.uai" --time 0.5
silent

check "the live line, where there is a terminal"
if ! script -qec true /dev/null >/dev/null 2>&1; then
    echo "skipped: the live line (no script(1) that can run a command)"
    exit 77
fi
script -qec "$ZBOUND $tmp/m.uai --time 0.5 --memory 256M --no-progress" /dev/null >"$out" 2>&1
grep -q 's left' "$out" && fail "--no-progress"
live='upper [0-9]+\.[0-9]{2}  lower [0-9]+\.[0-9]{2}  gap [0-9.]+ nats  ibound [0-9]+  [0-9]+ s left'
seen=no
for seconds in 1 4 16 64; do # a busy machine needs longer until there are bounds
    script -qec "$ZBOUND $tmp/m.uai --time $seconds --memory 256M" /dev/null >"$out" 2>&1
    tr '\r' '\n' <"$out" | grep -qE "$live" && seen=yes && break
done
[ $seen = yes ] || fail "no live line"
