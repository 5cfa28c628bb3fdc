# zbound-mpi: the same bits for 1, 2, 3 and 5 ranks, a checkpoint, and errors.
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/mpi.bash"
write_wide "$tmp/wide.uai"

check "slices over ranks give the same bits"
ranks 0 1 "$tmp/wide.uai" "${wide[@]}"
lower=$(get log_lower) upper=$(get log_upper)
same_answer "$lower" "$upper" 1
ranks 0 2 "$tmp/wide.uai" "${wide[@]}"
same_answer "$lower" "$upper" 2

check "a checkpoint is taken up by another number of ranks"
ranks 0 3 "$tmp/wide.uai" "${wide[@]}" --checkpoint "$tmp/kept"
same_answer "$lower" "$upper" 3
file=$(echo "$tmp"/kept/slices-*)
size=$(stat -c %s "$file")
truncate -s $((size - 70)) "$file" # the last record and a half
ranks 0 5 "$tmp/wide.uai" "${wide[@]}" --checkpoint "$tmp/kept"
same_answer "$lower" "$upper" 5
[ "$(stat -c %s "$file")" = "$size" ] || fail "the slices that were lost are not there"

check "components over ranks give the bits of one process"
# beside MODEL COPIES: so many copies of a model side by side
beside() {
    tr -s ' \n' '\n\n' <"$1" | awk -v copies="$2" '
        NF { t[++n] = $1 }
        END {
            at = 3; vars = t[2]
            for (i = 0; i < vars; i++) card = card " " t[at++]
            factors = t[at++]
            for (f = 0; f < factors; f++) { arity[f] = t[at++]
                for (i = 0; i < arity[f]; i++) scope[f, i] = t[at++] }
            for (; at <= n; at++) tables = tables " " t[at]
            print t[1]; print copies * vars
            for (c = 0; c < copies; c++) print card
            print copies * factors
            for (c = 0; c < copies; c++) for (f = 0; f < factors; f++) {
                printf "%d", arity[f]
                for (i = 0; i < arity[f]; i++) printf " %d", scope[f, i] + c * vars
                print "" }
            for (c = 0; c < copies; c++) print tables
        }'
}
run 0 generate ising --rows 18 --cols 18 --seed 5 -o "$tmp/one.uai"
beside "$tmp/one.uai" 5 >"$tmp/five.uai"
for method in be auto; do
    run 0 "$tmp/five.uai" --method $method --time 0 --threads 1 --json
    grep -q '"components": 5' "$out" || fail "expected five components"
    lower=$(get log_lower) upper=$(get log_upper)
    for n in 2 3; do
        ranks 0 $n "$tmp/five.uai" --method $method --time 0 --threads 1 --json
        same_answer "$lower" "$upper" $n
    done
done

check "betas over ranks give the same bits"
run 0 generate ising --rows 8 --cols 8 --seed 2 -o "$tmp/glass.uai"
curve() { cut -d, -f1-11 "$out"; } # but for the seconds
ranks 0 1 thermo "$tmp/glass.uai" --beta 0.2:1:5 --time 0 --threads 1 --csv
curve >"$tmp/curve"
[ "$(wc -l <"$tmp/curve")" = 6 ] || fail "expected five betas"
for n in 2 3; do
    ranks 0 $n thermo "$tmp/glass.uai" --beta 0.2:1:5 --time 0 --threads 1 --csv
    curve | cmp - "$tmp/curve" || fail "$n ranks differ"
done

check "states over ranks are the same file"
draw=(sample "$tmp/glass.uai" -n 2000 --ibound 4 --iterations 5 --time 0 --threads 1 -o)
ranks 0 1 "${draw[@]}" "$tmp/one.txt"
ranks 0 3 "${draw[@]}" "$tmp/three.txt"
[ "$(wc -l <"$tmp/one.txt")" = 2000 ] || fail "expected 2000 states"
cmp "$tmp/one.txt" "$tmp/three.txt" || fail "3 ranks draw other states"

check "best states over ranks are the same; with a clock the bound holds"
best() { ranks 0 $1 map "$tmp/five.uai" --ibound 10 --time $2 --threads 1 --json; }
run 0 generate ising --rows 8 --cols 8 --seed 5 -o "$tmp/one.uai"
beside "$tmp/one.uai" 5 >"$tmp/five.uai"
best 1 0
value=$(get log_value) upper=$(get log_upper)
for n in 2 3; do
    best $n 0
    key_is log_value "$value"
    key_is log_upper "$upper"
done
best 2 20
key_is log_value "$value"

check "what rank 0 does alone it says"
ranks 2 2 experiment nothing
says "rank 0 alone"

check "marginals over ranks are the same numbers"
ask=(marginals "$tmp/glass.uai" --ibound 4 --iterations 5 --time 0 --threads 1 --csv)
ranks 0 1 "${ask[@]}"
cp "$out" "$tmp/marginals"
[ "$(wc -l <"$tmp/marginals")" -gt 64 ] || fail "expected 64 variables"
for n in 2 3; do
    ranks 0 $n "${ask[@]}"
    cmp "$out" "$tmp/marginals" || fail "$n ranks differ"
done

check "a tree over ranks gives the bits of one process"
run 0 generate ising --rows 100 --cols 100 --seed 3 -o "$tmp/grid.uai"
tree=(--method wmbe-wtheta --ibound 10 --iterations 2 --form original --order minfill
    --time 0 --threads 1 --json)
run 0 "$tmp/grid.uai" "${tree[@]}"
lower=$(get log_lower) upper=$(get log_upper) bytes=$(get bytes)
ranks 0 3 "$tmp/grid.uai" "${tree[@]}"
key_is ranks 3
key_is log_lower "$lower"
key_is log_upper "$upper"
[ "$(get bytes)" -lt $((bytes * 6 / 10)) ] || fail "rank 0 has more than its part"

check "and so does one with gauges"
run 0 generate ising --rows 60 --cols 60 --seed 3 -o "$tmp/grid.uai"
gauged=(--method wmbe-wg --ibound 14 --iterations 3 --form forney --order minfill --side upper
    --time 0 --threads 1 --json)
run 0 "$tmp/grid.uai" "${gauged[@]}"
upper=$(get log_upper) bytes=$(get bytes)
ranks 0 3 "$tmp/grid.uai" "${gauged[@]}"
key_is log_upper "$upper"
[ "$(get bytes)" -lt $((bytes * 6 / 10)) ] || fail "rank 0 has more than its part"

check "what is damaged, or of another model, is bad input"
printf '\377' | dd of="$file" bs=1 seek=$((size - 5)) conv=notrunc 2>"$err"
ranks 3 2 "$tmp/wide.uai" "${wide[@]}" --checkpoint "$tmp/kept"
says "slices-.*damaged"

check "mpirun's own terminal is none: no colours in what goes to a file"
TERM=xterm mpirun -n 1 "$ZBOUND_MPI" examples/asia.bif >"$out" 2>"$err" || fail "exit code $?"
grep -q '^standing' "$out" || fail "no answer"
! grep -q $'\033' "$out" || fail "colours"
