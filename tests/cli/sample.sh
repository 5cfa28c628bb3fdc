# `sample`: states as lines, the same for a seed, with the evidence, whole when stopped.
. "$(dirname "$0")/common.bash"
run 0 generate ising --rows 6 --cols 6 --seed 2 -o "$tmp/g.uai"

# lines N FIELDS [SEPARATOR]: so many of so many
lines() {
    awk -F "${3:- }" -v n="$1" -v k="$2" 'NF != k { exit 1 } END { exit NR != n }' \
        "$out" || fail "$line: not $1 lines of $2 fields"
}

check "states as text: one a line, values of the model; the same seed, the same states"
run 0 sample "$tmp/g.uai" -n 500
lines 500 36
grep -q '[^01 ]' "$out" && fail "values other than 0 and 1"
cp "$out" "$tmp/first"
run 0 sample "$tmp/g.uai" -n 500 --threads 1 -o "$tmp/second"
cmp -s "$tmp/first" "$tmp/second" || fail "another number of threads, other states"
[ ! -s "$out" ] || fail "something on stdout beside -o"
run 0 sample "$tmp/g.uai" -n 500 --seed 2
if cmp -s "$out" "$tmp/first"; then fail "seeds 1 and 2 gave the same states"; fi
[ "$(sort -u "$out" | wc -l)" -gt 100 ] || fail "hardly any different states"

check "exact or not, the rate is said before; mini-buckets that are too small refuse some"
run 0 sample "$tmp/g.uai"
lines 1 36
says 'solved exactly'
run 0 sample "$tmp/g.uai" -n 300 --ibound 3 --time 0 --iterations 10
lines 300 36
says '% of the draws are accepted'
run 0 sample "$tmp/g.uai" -n 3 --quiet
[ ! -s "$err" ] || fail "--quiet, but stderr has something"

check "evidence"
echo '2 5 1 7 0' >"$tmp/e"
run 0 sample "$tmp/g.uai" "$tmp/e" -n 50
awk '$6 != 1 || $8 != 0 { exit 1 }' "$out" || fail "evidence is not respected"

check "CSV; weights first"
run 0 sample "$tmp/g.uai" -n 20 --format csv
lines 21 36 ,
[ "$(head -n 1 "$out" | cut -d, -f1,36)" = x0,x35 ] || fail "the header"
run 0 sample "$tmp/g.uai" -n 40 --weighted --ibound 3 --time 0 --iterations 10
lines 40 37
run 0 exact "$tmp/g.uai" --json
log_z=$(get log_upper)
run 0 sample "$tmp/g.uai" -n 4000 --weighted --ibound 3 --time 0 --iterations 50
awk -v z="$log_z" '{ s += exp($1 - z) } END { m = s / NR; exit m < 0.9 || m > 1.1 }' \
    "$out" || fail "the mean weight is not Z"

run 0 sample examples/asia.bif -n 2 --format csv
[ "$(head -1 "$out")" = visit,smoker,tub,lung,bronc,either,xray,dyspnoea ] || fail "names of the variables"

check "a NumPy array in a file; not in a pipe"
run 0 sample "$tmp/g.uai" -n 7 --format npy -o "$tmp/s.npy"
head -c 192 "$tmp/s.npy" | grep -q "'<i4'.*(7, 36)" || fail "the header"
[ "$(wc -c <"$tmp/s.npy")" = $((192 + 7 * 36 * 4)) ] || fail "the size"
if command -v python3 >/dev/null && python3 -c 'import numpy' 2>/dev/null; then
    run 0 sample "$tmp/g.uai" -n 7
    python3 - "$tmp/s.npy" "$out" <<'EOF' || fail "numpy reads something else"
import numpy, sys
sys.exit(not (numpy.load(sys.argv[1]) == numpy.loadtxt(sys.argv[2], dtype=int)).all())
EOF
fi
"$ZBOUND" sample "$tmp/g.uai" --format npy 2>"$err" | cat >"$out"
[ "${PIPESTATUS[0]}" = 2 ] || fail "an array into a pipe"

check "from a saved state: its bound, and no search; another's is refused"
run 0 bound "$tmp/g.uai" --method wmbe-wtheta --form original --ibound 4 --time 0 \
    --iterations 30 --side upper --save "$tmp/state"  --json
upper=$(get log_upper)
run 0 sample "$tmp/g.uai" --load "$tmp/state" -n 300
lines 300 36
says '% of the draws are accepted'
run 0 sample "$tmp/g.uai" --load "$tmp/state" --weighted -n 2000
said=$(sed -n 's/.*ln w is at most \([^,]*\),.*/\1/p' "$err")
awk -v a="$said" -v b="$upper" 'BEGIN { d = a - b; exit d < -1e-6 || d > 1e-6 }' ||
    fail "the bound is $said, not $upper"
awk -v z="$log_z" '{ s += exp($1 - z) } END { m = s / NR; exit m < 0.9 || m > 1.1 }' \
    "$out" || fail "the mean weight is not Z"
run 0 generate ising --rows 5 --cols 6 -o "$tmp/other.uai"
run 3 sample "$tmp/other.uai" --load "$tmp/state"
says '36 variables'
run 0 bound "$tmp/g.uai" --method wmbe-wg --form forney --ibound 4 --time 0 \
    --iterations 3 --side upper --save "$tmp/gauged"
run 3 sample "$tmp/g.uai" --load "$tmp/gauged"
says "'original'"
run 3 sample --load "$tmp/no/such/state" "$tmp/g.uai"

check "nothing to draw, nowhere to write"
printf 'MARKOV\n1\n2\n1\n1 0\n2\n0 0\n' >"$tmp/zero.uai"
run 3 sample "$tmp/zero.uai"
says 'Z = 0'
run 2 sample "$tmp/g.uai" -o "$tmp/no/such/place"
run 2 sample "$tmp/g.uai" -n -1
run 2 bound "$tmp/g.uai" --weighted

check "a pipe that closes, and Ctrl-C, leave whole lines"
"$ZBOUND" sample "$tmp/g.uai" -n 2000000000 2>"$err" | head -n 100 >"$out"
lines 100 36
interrupt INT 1 sample "$tmp/g.uai" -n 2000000000
case $code in 130) ;; *) fail "exit code $code" ;; esac
awk 'NF != 36 { exit 1 }' "$out" || fail "a line is not whole"
[ -z "$(tail -c 1 "$out")" ] || fail "the last line is not whole"
