# Signals: the best bounds so far and exit 0, or a clean "nothing yet" and exit 4.
. "$(dirname "$0")/common.bash"
"$ZBOUND" generate ising --rows 60 --cols 60 --seed 3 -o "$tmp/m.uai" 2>"$err" >"$out" ||
    fail "generate"

more() { awk -v x="$1" 'BEGIN { printf "%.17g", x + 1e-9 * (1 + (x < 0 ? -x : x)) }'; }

interrupted=0
for signal in INT TERM; do
    for delay in 0 0.1 0.3 0.6 1.2; do
        interrupt $signal $delay "$tmp/m.uai" --time 0 --tolerance 0 --iterations 1000000 \
            --ibound 8 --method wmbe-wtheta --json
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
answered=0 nothing=0
for ((i = 0; i < ${ZB_INTERRUPTS:-9}; i++)); do
    which=$((i % ${#models[@]})) memory=$((1 << (RANDOM % 4)))M
    delay=$(awk "BEGIN { print ($RANDOM / 32767) ^ 2 * 2.5 }")
    interrupt INT "$delay" "${models[which]}" --time 0 --memory "$memory" --threads 2 --json
    case $code in
    0)
        lower=$(get log_lower) upper=$(get log_upper)
        at_most "$lower" "$upper"
        [ "$lower" = -inf ] || at_most "$lower" "$(more "${known[which]}")"
        at_most "${known[which]}" "$(more "$upper")"
        answered=$((answered + 1))
        ;;
    4) [ ! -s "$out" ] && says 'nothing yet|interrupted' && nothing=$((nothing + 1)) ;;
    *) fail "$line: exit code $code" ;;
    esac
done
check "$i random interruptions: $answered brackets that hold, $nothing times nothing yet"

check "a read that waits for a pipe ends too"
mkfifo "$tmp/pipe"
sleep 1000 >"$tmp/pipe" &
writer=$!
interrupt INT 0.2 - <"$tmp/pipe"
kill "$writer" 2>/dev/null
[ "$code" = 4 ] || fail "$line: expected exit code 4"
says 'nothing yet'
