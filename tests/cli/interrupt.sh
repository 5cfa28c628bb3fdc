# Signals: the best bounds so far, or a clean "nothing yet", and an end by the signal.
. "$(dirname "$0")/common.bash"
"$ZBOUND" generate ising --rows 60 --cols 60 --seed 3 -o "$tmp/m.uai" 2>"$err" >"$out" ||
    fail "generate"

# ended CODE SIGNAL: by the signal, as a shell sees it; 0: it was over before
ended() {
    case $1 in
    0) ;;
    130) [ "$2" = INT ] || fail "$line" ;;
    143) [ "$2" = TERM ] || fail "$line" ;;
    *) fail "$line: exit code $1" ;;
    esac
}

# side KEY NONE: a bound, or NONE where the signal came before there was one
side() {
    local bound
    bound=$(get "$1")
    [ "$bound" != null ] || bound=$2
    echo "$bound"
}

interrupted=0
for signal in INT TERM; do
    for delay in 0 0.1 0.3 0.6 1.2; do
        interrupt $signal $delay "$tmp/m.uai" --time 0 --tolerance 0 --iterations 1000000 \
            --ibound 8 --method wmbe-wtheta --json
        ended $code $signal
        [ -s "$out" ] || continue # read, not yet bounded
        at_most "$(side log_lower -inf)" "$(side log_upper inf)"
        if [ "$(get stop)" = interrupted ]; then
            interrupted=$((interrupted + 1))
            [ "$code" != 0 ] || fail "$line: interrupted, but exit code 0"
        fi
    done
done
check "10 runs ended by a signal, $interrupted of them with bounds"
[ "$interrupted" -ge 2 ] || fail "too few with bounds"

# Method auto at random moments, ZB_INTERRUPTS times (200 for a long run): models that
# are solved by brackets, slices and counting when memory is short, with ln Z known.
RANDOM=${ZB_INTERRUPT_SEED:-7}
least=() most=() models=() # ln Z is between least and most
model() { # ARGUMENTS of generate
    local file=$tmp/known${#models[@]}.uai
    run 0 generate "$@" -o "$file"
    run 0 exact "$file" --json
    models+=("$file") least+=("$(get log_lower)") most+=("$(get log_upper)")
}
model ising --rows 16 --cols 16 --coupling 1 --field 0.1 --seed 5
model random --variables 60 --factors 110 --arity 3 --zeros 0.15 --seed 2
model pedigree --founders 10 --children 24 --loci 8
answered=0 nothing=0 unborn=0
for ((i = 0; i < ${ZB_INTERRUPTS:-6}; i++)); do
    which=$((i % ${#models[@]})) memory=$((1 << (RANDOM % 4)))M
    delay=$(awk "BEGIN { print ($RANDOM / 32767) ^ 2 * 2.5 }")
    interrupt INT "$delay" "${models[which]}" --time 0 --memory "$memory" --threads 2 --json
    ended $code INT
    if [ -s "$out" ]; then
        lower=$(side log_lower -inf) upper=$(side log_upper inf)
        at_most "$lower" "$upper"
        at_most "$lower" "${most[which]}"
        at_most "${least[which]}" "$upper"
        answered=$((answered + 1))
    elif [ -s "$err" ]; then
        says 'nothing yet|interrupted'
        nothing=$((nothing + 1))
    else # the signal came before the model was read
        unborn=$((unborn + 1))
    fi
done
check "$i random interruptions: $answered brackets that hold, $nothing times nothing" \
    "yet, $unborn before the model was read"

check "a read that waits for a pipe ends at once, whatever the command"
mkfifo "$tmp/pipe"
for command in bound exact info order forney compare; do
    sleep 100 >"$tmp/pipe" &
    writer=$!
    line="zbound $command - while waiting"
    code=0
    timeout --preserve-status -s INT -k 20 0.3 "$ZBOUND" $command - <"$tmp/pipe" \
        >"$out" 2>"$err" || code=$?
    kill "$writer"
    wait "$writer" # or the next reader would find the end of its file
    [ "$code" = 130 ] || fail "$line: expected 130"
    [ ! -s "$out" ] || fail "$line: stdout must be empty"
done

check "compare: the rows so far, then the signal"
interrupt INT 3 compare "$tmp/known0.uai" --json --ibound 3 --methods mbe,wmbe-wtheta \
    --iterations 100000000 --tolerance 0 --time 0
[ "$code" = 130 ] || fail "$line: expected 130"
[ "$(get methods)" -ge 2 ] || fail "$line: no rows"
key_is methods.1.method mbe

check "experiment: ends by the signal, and goes on from there"
interrupt TERM 2 experiment fig2a --out "$tmp/f"
[ "$code" = 143 ] || fail "$line: expected 143"
says 'goes on where it stopped'

check "a loop of a shell ends with it"
line="a loop"
set -m # a process group of its own, and SIGINT not ignored
bash -c 'for i in 1 2 3; do echo "$i"
    "$0" "$1" --time 0 --tolerance 0 --iterations 100000000 --method wmbe-wtheta --ibound 6
done' "$ZBOUND" "$tmp/known0.uai" >"$out" 2>"$err" &
loop=$!
set +m
sleep 2
kill -INT -- -$loop
for ((i = 0; i < 200; i++)); do
    kill -0 $loop 2>/dev/null || break
    sleep 0.1
done
kill -0 $loop 2>/dev/null && { kill -KILL -- -$loop; fail "$line: it goes on"; }
grep -qx 1 "$out" || fail "$line: it never ran"
if grep -qx 2 "$out"; then fail "$line: it went on"; fi
