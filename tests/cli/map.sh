# `map`: the best state, its value and a bound.
. "$(dirname "$0")/common.bash"
write_small "$tmp/s.uai"

check "the best of 48 states: ln 16"
run 0 map "$tmp/s.uai" --json
key_is optimal true
key_is stop exact
near "$(get log_value)" 2.772588722239781 1e-14
at_most "$(get log_value)" "$(get log_upper)"
near "$(get log_upper)" 2.772588722239781 1e-13
run 0 map "$tmp/s.uai" --uai "$tmp/s.MPE"
shows 'optimal'
shows '^ln weight 2\.77258872223978[0-9]* ±'
[ "$(head -n 1 "$tmp/s.MPE")" = MPE ] || fail "the first word"
[ "$(sed -n 2p "$tmp/s.MPE" | cut -d' ' -f1)" = 5 ] || fail "$(cat "$tmp/s.MPE")"
[ "$(sed -n 2p "$tmp/s.MPE" | cut -d' ' -f2-)" = "$(tail -n 1 "$out")" ] || fail "the state"

check "evidence, names"
run 0 map "$tmp/s.uai" --json -e 0=0,4=2
key_is state.0 0
key_is state.4 2
cat >"$tmp/n.bif" <<'BIF'
network n { }
variable smoke { type discrete [ 2 ] { yes, no }; }
variable lung { type discrete [ 2 ] { ill, well }; }
probability ( smoke ) { table 0.5, 0.5; }
probability ( lung | smoke ) { (yes) 0.1, 0.9; (no) 0.01, 0.99; }
BIF
run 0 map "$tmp/n.bif"
shows '^smoke=no$'
run 0 map "$tmp/n.bif" --json -e lung=ill
key_is names.smoke yes

check "mini-buckets that are too small: a bound above, a state below"
run 0 generate ising --rows 8 --cols 8 --seed 2 -o "$tmp/g.uai"
run 0 map "$tmp/g.uai" --json
best=$(get log_value)
run 0 map "$tmp/g.uai" --json --ibound 3 --time 0 --iterations 20
at_most "$best" "$(get log_upper)"
at_most "$(get log_value)" "$(awk -v b="$best" 'BEGIN { print b + 1e-9 }')"
cp "$out" "$tmp/one"
value=$(get log_value) upper=$(get log_upper)
run 0 map "$tmp/g.uai" --json --ibound 3 --time 0 --iterations 20 --threads 1
[ "$value $upper" = "$(get log_value) $(get log_upper)" ] ||
    fail "another number of threads, other numbers"

check "Z = 0 is an answer; wrong usage is not"
printf 'MARKOV\n1\n2\n1\n1 0\n2\n0 0\n' >"$tmp/zero.uai"
run 0 map "$tmp/zero.uai" --json
key_is log_upper -inf
key_is state null
says 'Z = 0'
run 2 map "$tmp/s.uai" --pairs
run 2 map "$tmp/s.uai" --uai "$tmp/no/such/place"
run 3 map "$tmp/no.uai"

check "a time limit and Ctrl-C leave a state"
run 0 generate ising --rows 60 --cols 60 --periodic --field 0 --seed 2 -o "$tmp/large.uai"
run 0 map "$tmp/large.uai" --json --time 2 --memory 64M
key_is stop time
at_most "$(get log_value)" "$(get log_upper)"
interrupt INT 2 map "$tmp/large.uai" --json --time 1000 --memory 64M
[ "$code" = 130 ] || fail "exit code $code"
[ ! -s "$out" ] || key_is stop interrupted # nothing yet, on a machine that is too slow
