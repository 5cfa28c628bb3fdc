# `marginals`: distributions as text, CSV, JSON and a competition file, by name.
. "$(dirname "$0")/common.bash"
write_small "$tmp/s.uai"

check "exact, of a model whose sum is 68 times 3"
run 0 marginals "$tmp/s.uai"
shows '^0 +0 +0.4558823529$'
shows 'standing  exact'
run 0 marginals "$tmp/s.uai" --json
key_is exact true
key_is stop exact
near "$(get marginals.0.0)" 0.45588235294117646 1e-15
near "$(get marginals.4.2)" 0.33333333333333333 1e-15
at_most "$(get lower.0.0)" 0.45588235294117646
at_most 0.45588235294117647 "$(get upper.0.0)"

check "some variables, pairs, CSV"
run 0 marginals "$tmp/s.uai" --csv --variables 3,0
[ "$(wc -l <"$out")" = 5 ] || fail "not a header and four lines"
[ "$(sed -n 2p "$out" | cut -d, -f1,2)" = 3,0 ] || fail "the order of --variables"
run 0 marginals "$tmp/s.uai" --csv --variables 4 --pairs
[ "$(wc -l <"$out")" = $((1 + 3 + 4 * 4)) ] || fail "not all pairs"
awk -F, '$1 == "0 1" { s += $3 } END { exit s < 0.999999 || s > 1.000001 }' "$out" ||
    fail "a pair's probabilities"
run 0 marginals "$tmp/s.uai" --json --pairs --variables 2
key_is of.0 2
near "$(get pairs.0.marginals.0)" 0.16176470588235295 1e-15

check "the competition's file"
run 0 marginals "$tmp/s.uai" -e 0=1 --uai "$tmp/s.MAR"
[ "$(head -n 1 "$tmp/s.MAR")" = MAR ] || fail "the first word"
[ "$(sed -n 2p "$tmp/s.MAR" | cut -d' ' -f1-4)" = "5 2 0 1" ] || fail "$(cat "$tmp/s.MAR")"
[ "$(sed -n 2p "$tmp/s.MAR" | wc -w)" = $((1 + 5 + 11)) ] || fail "its length"

check "names"
cat >"$tmp/n.bif" <<'BIF'
network n { }
variable smoke { type discrete [ 2 ] { yes, no }; }
variable lung { type discrete [ 2 ] { ill, well }; }
probability ( smoke ) { table 0.5, 0.5; }
probability ( lung | smoke ) { (yes) 0.1, 0.9; (no) 0.01, 0.99; }
BIF
run 0 marginals "$tmp/n.bif" --variables lung -e smoke=yes
shows '^lung +ill +0.1$'
run 0 marginals "$tmp/n.bif" --json
key_is names.1.name lung
key_is names.1.states.0 ill
near "$(get marginals.1.0)" 0.055 1e-15

check "intervals where mini-buckets are too small, and draws"
run 0 generate ising --rows 6 --cols 6 --seed 2 -o "$tmp/g.uai"
run 0 marginals "$tmp/g.uai" --csv
cp "$out" "$tmp/exact"
run 0 marginals "$tmp/g.uai" --csv --ibound 4 --time 0 --iterations 30
paste -d, "$tmp/exact" "$out" | awk -F, '
    NR > 1 && !($10 <= $5 && $4 <= $11 && $10 <= $9 && $9 <= $11 && $12 > 0) { bad++ }
    END { exit NR != 73 || bad > 0 }' || fail "an interval without its value"
cp "$out" "$tmp/one"
run 0 marginals "$tmp/g.uai" --csv --ibound 4 --time 0 --iterations 30 --threads 1
cmp -s "$out" "$tmp/one" || fail "another number of threads, other numbers"
run 0 marginals "$tmp/g.uai" --ibound 4 --time 0 --iterations 5
shows 'intervals are guaranteed'

check "Z = 0, and what cannot be asked"
printf 'MARKOV\n1\n2\n1\n1 0\n2\n0 0\n' >"$tmp/zero.uai"
run 3 marginals "$tmp/zero.uai"
says 'Z = 0'
run 2 marginals "$tmp/s.uai" --variables 5
says "no variable '5'"
run 2 marginals "$tmp/s.uai" --variables 1,1
says "'1' twice"
run 2 marginals "$tmp/s.uai" --variables ''
run 2 marginals "$tmp/n.bif" --variables smoke,lungs
says "no variable 'lungs'"
says "did you mean lung"
run 2 marginals "$tmp/s.uai" --uai "$tmp/no/such/place"
run 2 marginals "$tmp/s.uai" --uai "$tmp/x" --variables 1
run 2 marginals "$tmp/s.uai" --csv --json
run 2 marginals "$tmp/s.uai" --method mbe
run 2 bound "$tmp/s.uai" --pairs
run 3 marginals "$tmp/no.uai"
run 2 generate tree --variables x
says "expected a number"

check "columns are above each other, also under names that are longer than a tab"
printf 'variable a { type discrete [ 2 ] { on, off }; }
variable a_long_name { type discrete [ 3 ] { x, y, zero }; }
probability ( a ) { table 0.25, 0.75; }
probability ( a_long_name ) { table 0.5, 0.25, 0.25; }\n' | sed '1i network n { }' >"$tmp/names.bif"
run 0 marginals "$tmp/names.bif"
diff - <(tail -5 "$out") <<'END' || fail "$line: other columns"
a              on      0.25
               off     0.75
a_long_name    x       0.5
               y       0.25
               zero    0.25
END

check "a time limit and Ctrl-C leave intervals"
run 0 generate ising --rows 24 --cols 24 --seed 2 -o "$tmp/large.uai"
run 0 marginals "$tmp/large.uai" --json --time 2 --memory 64M
key_is exact false
key_is stop time
interrupt INT 2 marginals "$tmp/large.uai" --json --time 1000 --memory 64M
[ "$code" = 130 ] || fail "exit code $code"
[ ! -s "$out" ] || key_is stop interrupted # nothing yet, on a machine that is too slow
