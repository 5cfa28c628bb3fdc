# Signals: the best bounds so far and exit 0, or a clean "nothing yet" and exit 4.
. "$(dirname "$0")/common.bash"
"$ZBOUND" generate ising --rows 60 --cols 60 --seed 3 -o "$tmp/m.uai" 2>"$err" >"$out" ||
    fail "generate"

more() { awk -v x="$1" 'BEGIN { printf "%.17g", x + 1e-9 * (1 + (x < 0 ? -x : x)) }'; }

interrupted=0
for signal in INT TERM; do
    for delay in 0.05 0.2 0.5 1 2; do
        line="zbound with SIG$signal after $delay s"
        code=0
        timeout --preserve-status -s "$signal" -k 60 "$delay" \
            "$ZBOUND" "$tmp/m.uai" --time 0 --tolerance 0 --iterations 1000000 --ibound 8 \
            --method wmbe-wtheta --json >"$out" 2>"$err" || code=$?
        case $code in
        0)
            at_most "$(get log_lower)" "$(get log_upper)"
            if [ "$(get stop)" = interrupted ]; then interrupted=$((interrupted + 1)); fi
            ;;
        4) [ ! -s "$out" ] && says 'nothing yet|interrupted' ;;
        *) fail "$line: exit code $code" ;;
        esac
    done
done
check "10 runs ended by a signal, $interrupted of them with bounds"

# The autopilot at random moments, ZB_INTERRUPTS times (200 for a long run): models that
# are solved by brackets, slices and counting when memory is short, with ln Z known.
RANDOM=${ZB_INTERRUPT_SEED:-7}
known=() models=()
model() { # ARGUMENTS of generate
    local file=$tmp/known${#models[@]}.uai
    run 0 generate "$@" -o "$file"
    run 0 exact "$file" --json
    models+=("$file") known+=("$(get log_upper)")
}
model ising --rows 16 --cols 16 --coupling 1 --field 0.1 --seed 5
model random --variables 60 --factors 110 --arity 3 --zeros 0.15 --seed 2
model pedigree --founders 10 --children 24 --loci 8
answered=0 nothing=0 unborn=0 slowest=0
for ((i = 0; i < ${ZB_INTERRUPTS:-9}; i++)); do
    which=$((i % ${#models[@]})) memory=$((1 << (RANDOM % 4)))M
    delay=$(awk "BEGIN { print ($RANDOM / 32767) ^ 2 * 2.5 }")
    line="zbound ${models[which]} --memory $memory with SIGINT after $delay s"
    code=0
    begin=$(date +%s%N)
    timeout --preserve-status -s INT -k 60 "$delay" "$ZBOUND" "${models[which]}" \
        --time 0 --memory "$memory" --threads 2 --json >"$out" 2>"$err" || code=$?
    late=$((($(date +%s%N) - begin) / 1000000))
    late=$(awk "BEGIN { print int($late - 1000 * $delay) }")
    [ "$late" -le "$slowest" ] || slowest=$late
    case $code in
    0)
        lower=$(get log_lower) upper=$(get log_upper)
        at_most "$lower" "$upper"
        [ "$lower" = -inf ] || at_most "$lower" "$(more "${known[which]}")"
        at_most "${known[which]}" "$(more "$upper")"
        answered=$((answered + 1))
        ;;
    4) [ ! -s "$out" ] && says 'nothing yet|interrupted' && nothing=$((nothing + 1)) ;;
    130) # the signal came before the program was loaded
        [ ! -s "$out" ] && awk "BEGIN { exit !($delay < 0.1) }" || fail "$line: killed"
        unborn=$((unborn + 1))
        ;;
    *) fail "$line: exit code $code" ;;
    esac
done
check "$i random interruptions: $answered brackets that hold, $nothing times nothing" \
    "yet, $unborn before the start; at most $slowest ms from signal to end"

check "a read that waits for a pipe ends too"
mkfifo "$tmp/pipe"
sleep 5 >"$tmp/pipe" &
writer=$!
code=0
line="zbound - while waiting"
timeout --preserve-status -s INT -k 20 0.5 "$ZBOUND" - <"$tmp/pipe" >"$out" 2>"$err" ||
    code=$?
kill "$writer" 2>/dev/null
[ "$code" = 4 ] || fail "$line: expected exit code 4"
says 'nothing yet'
