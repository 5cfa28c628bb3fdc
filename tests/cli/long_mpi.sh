# A job that is killed at any moment goes on from its checkpoint, on another number of ranks:
# nothing that was finished is lost, and the answer is the same. KILLS: how often.
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/mpi.bash"
run 0 generate random --variables 29 --factors 750 --arity 2 --cardinality 2 --seed 1 \
    -o "$tmp/wide.uai"
ranks 0 2 "$tmp/wide.uai" "${wide[@]}"
lower=$(get log_lower) upper=$(get log_upper) seconds=$(get seconds)
RANDOM=${SEED:-1}

kept() { cat "$tmp"/kept/slices-* 2>/dev/null | wc -c; }
# kill_at SECONDS N WHOM: the job, or one of its ranks, that long after it began to work
kill_at() {
    local job victims
    mpirun -n "$2" "$ZBOUND_MPI" "$tmp/wide.uai" "${wide[@]}" --checkpoint "$tmp/kept" \
        >"$out" 2>"$err" </dev/null &
    job=$!
    wait_until test -e "$tmp/kept/run"
    sleep "$1"
    victims=$(pgrep -P $job)
    [ "$3" = job ] && { kill -9 $job $victims 2>/dev/null; } ||
        kill -9 $(echo "$victims" | head -1) 2>/dev/null
    wait_until all_gone $victims
    for ((t = 0; t < 100; t++)); do # mpirun may wait forever for a rank that is gone
        is_gone $job && break
        sleep 0.02
    done
    signal_child KILL $job
    wait $job 2>/dev/null
}
all_gone() { for p; do [ ! -d "/proc/$p" ] || return 1; done; }

counts=(1 2 3 5) killed=0
for ((i = 0; i < ${KILLS:-5}; i++)); do
    rm -rf "$tmp/kept"
    for ((k = 0; k < 2; k++)); do # twice in a row
        before=$(kept)
        whom=job
        [ $((RANDOM % 2)) = 0 ] || whom=rank
        kill_at "$(awk -v r=$RANDOM -v s="$seconds" 'BEGIN { print r / 32768 * s }')" \
            "${counts[RANDOM % 4]}" $whom
        [ -s "$out" ] || killed=$((killed + 1))
        [ "$(kept)" -ge "$before" ] || fail "slices were lost"
    done
    n=${counts[RANDOM % 4]}
    ranks 0 "$n" "$tmp/wide.uai" "${wide[@]}" --checkpoint "$tmp/kept"
    same_answer "$lower" "$upper" "$n"
done
echo "$killed of $((2 * ${KILLS:-5})) were killed before their end"
[ "$killed" -gt 0 ] || fail "none was killed in time"
