# Sourced by the command-line tests. $ZBOUND is the program, $JSON_GET the JSON reader.
set -u
: "${ZBOUND:?the path of the program}" "${JSON_GET:?the path of json_get}"
export LC_ALL=C
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
out=$tmp/stdout err=$tmp/stderr code=0

fail() {
    echo "FAILED: $*"
    echo "--- exit code $code, stdout:"; head -c 2000 "$out"
    echo "--- stderr:"; head -c 2000 "$err"
    exit 1
}

check() { echo "checks: $*"; }

# run CODE ARGUMENT...: the program must end with CODE, and be silent on stdout if not 0
run() {
    local want=$1
    shift
    line="zbound $*"
    code=0
    "$ZBOUND" "$@" >"$out" 2>"$err" </dev/null || code=$?
    [ "$code" = "$want" ] || fail "$line: expected exit code $want"
    [ "$want" = 0 ] || [ ! -s "$out" ] || fail "$line: stdout must be empty"
}

# interrupt SIGNAL DELAY ARGUMENT...: the signal, so many seconds after the program began to
# listen to signals, however long a busy machine takes to start it; leaves $code, which is
# 137 if it went on for 100 s and more
interrupt() {
    local signal=$1 delay=$2 child
    shift 2
    line="zbound $* with SIG$signal after $delay s"
    code=0
    env --default-signal=INT "$ZBOUND" "$@" <&0 >"$out" 2>"$err" &
    child=$!
    wait_until listens $child
    sleep "$delay"
    signal_child "$signal" $child
    wait_until is_gone $child || signal_child KILL $child
    wait $child || code=$?
}
# What is known of a child: its number may be another process's once it has ended.
child_status() { awk -v us=$$ '/^PPid:/ { if ($2 != us) exit } { print }' "/proc/$1/status"; }
is_gone() { ! child_status "$1" 2>/dev/null | grep -q '^PPid:'; }
signal_child() { is_gone "$2" || kill -s "$1" "$2" 2>/dev/null; }
# listens PID: it catches SIGTERM (15), waits for input, or has ended. Before it is loaded it
# is a shell, whose handlers would swallow the signal.
listens() {
    is_gone "$1" || child_status "$1" 2>/dev/null | awk '
        /^Name:/ { ours = $2 == "zbound" }
        /^State:/ { ended = $2 == "Z"; waits = $2 == "S" }
        /^SigCgt:/ { caught = index("4567cdef", substr($2, length($2) - 3, 1)) }
        END { exit !(ended || ours && (waits || caught)) }'
}
# wait_until COMMAND...: true, or false after 100 s and more
wait_until() {
    local i
    for ((i = 0; i < 5000; i++)); do
        "$@" && return
        sleep 0.02
    done
    return 1
}

says() { grep -qE -- "$1" "$err" || fail "$line: stderr lacks '$1'"; }
shows() { grep -qE -- "$1" "$out" || fail "$line: stdout lacks '$1'"; }
silent() { [ ! -s "$err" ] || fail "$line: stderr must be empty"; }

# get KEY: from the JSON on stdout
get() { "$JSON_GET" "$out" "$1"; }
key_is() {
    local found
    found=$(get "$1") || fail "$line: no JSON key $1"
    [ "$found" = "$2" ] || fail "$line: $1 is '$found', expected '$2'"
}

# near A B TOLERANCE
near() {
    awk -v a="$1" -v b="$2" -v t="$3" \
        'BEGIN { d = a - b; exit !((d < 0 ? -d : d) <= t) }' ||
        fail "$line: $1 is not within $3 of $2"
}
# at_most A B: numbers or inf, -inf
at_most() {
    local as_number='{ gsub("inf", "1e308", x); return x + 0 }'
    awk -v a="$1" -v b="$2" "function n(x) $as_number BEGIN { exit !(n(a) <= n(b)) }" ||
        fail "$line: $1 > $2"
}

# A 2x2 grid whose sum is 68, and a variable of three values in no factor: Z = 204
small_log_z=5.3181199938442161
write_small() {
    cat >"$1" <<'UAI'
MARKOV
5
2 2 2 2 3
4
2 0 1
2 0 2
2 1 3
2 2 3
4 1 2 2 1
4 1 2 2 1
4 1 2 2 1
4 1 2 1 1
UAI
}
