# Signals: the best bounds so far and exit 0, or a clean "nothing yet" and exit 4.
. "$(dirname "$0")/common.bash"
"$ZBOUND" generate ising --rows 60 --cols 60 --seed 3 -o "$tmp/m.uai" 2>"$err" >"$out" ||
    fail "generate"

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
