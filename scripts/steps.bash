# Sourced by scripts/check and scripts/deep. Every step is run, whatever became of those
# before it; `finish` says how many tests passed, failed and were skipped, and which.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

passed=0
failed=()
skipped=()
SECONDS=0
TIMEFORMAT='---- %0R s, %0U + %0S s of processor time'

# step NAME COMMAND...: a command that counts as one test; its exit status
step() {
    local name=$1
    shift
    echo "==== $name"
    if time "$@"; then
        passed=$((passed + 1))
    else
        failed+=("$name")
        echo "---- $name: FAILED"
        return 1
    fi
}

# may_skip NAME COMMAND...: a step that exits 77 where what it needs is not there
may_skip() {
    local code=0 out
    out=$(mktemp)
    echo "==== $1"
    time "${@:2}" 2>&1 | tee "$out" || code=$?
    case $code in
    0) passed=$((passed + 1)) ;;
    77) skipped+=("$(sed -n 's/^skipped: //p' "$out" | tail -1)") ;;
    *) failed+=("$1"); echo "---- $1: FAILED" ;;
    esac
    rm -f "$out"
    [ $code = 0 ] || [ $code = 77 ]
}

# tests NAME DIR OPTION...: the tests that ctest finds in a build directory, each counts
tests() {
    local name=$1 dir=$2 cases=$PWD/$2/cases.xml code=0 before=${#failed[@]}
    shift 2
    echo "==== $name"
    rm -f "$cases"
    time ctest --test-dir "$dir" --output-on-failure --no-tests=error -j "$(($(nproc) + 1))" \
        --output-junit "$cases" "$@" || code=$?
    count_cases "$name" "$cases"
    # no test at all, or a failure that ctest alone knows of
    [ $code = 0 ] || [ ${#failed[@]} -gt $before ] || failed+=("$name")
    [ ${#failed[@]} = $before ]
}

# A case that was not run is skipped if it said so, and failed otherwise.
count_cases() {
    local outcome case
    [ -e "$2" ] || return 0
    while read -r outcome case; do
        case $outcome in
        passed) passed=$((passed + 1)) ;;
        skipped) skipped+=("$case ($1)") ;;
        *) failed+=("$case ($1)") ;;
        esac
    done < <(awk '
        function say() { if (name != "") print outcome, name; name = "" }
        /<testcase / {
            say()
            match($0, /name="[^"]*"/)
            name = substr($0, RSTART + 6, RLENGTH - 7)
            outcome = /status="run"/ ? "passed" : "failed"
        }
        /<skipped message="SKIP_/ { outcome = "skipped" }
        END { say() }' "$2")
}

# finish NAME: the last line, and the exit status of the whole
finish() {
    echo
    [ ${#skipped[@]} = 0 ] || printf 'skipped: %s\n' "${skipped[@]}"
    [ ${#failed[@]} = 0 ] || printf 'FAILED: %s\n' "${failed[@]}"
    echo "$1: $passed passed, ${#failed[@]} failed, ${#skipped[@]} skipped in $SECONDS s"
    [ ${#failed[@]} = 0 ]
    exit
}
