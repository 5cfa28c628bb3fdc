#!/bin/bash
# What draws add to method auto: each model without them (--delta 0) and with them, as rows of
# a table for docs/results/samples.md.
#
#     bench/samples.sh SECONDS MODEL...      a file, or ising:SIDE:COUPLING[:periodic]
#
# BEFORE is put before each command, as `chrt -f 5` on a machine that others use.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
seconds=$1
shift

model() { # WORD: the file it stands for
    IFS=: read -r kind side coupling periodic <<<"$1"
    if [ "$kind" != ising ]; then
        echo "$1"
        return
    fi
    "$root/build/zbound" generate ising --rows "$side" --cols "$side" --coupling "$coupling" \
        --field 0.1 --seed 1 ${periodic:+--periodic} -o "$work/model.uai"
    echo "$work/model.uai"
}

solve() { # FILE DELTA OUT
    ${BEFORE:-} "$root/build/zbound" "$1" --time "$seconds" --delta "$2" --json --quiet >"$3"
}

get() { "$root/build/json_get" "$@" 2>/dev/null || echo -; }
width() { # FILE PATH-OF-LOWER PATH-OF-UPPER
    awk -v a="$(get "$1" "$2")" -v b="$(get "$1" "$3")" \
        'BEGIN { if (a == "-" || a == "-inf" || b == "inf") print "-"; else printf "%.4g", b - a }'
}

for word in "$@"; do
    file=$(model "$word")
    solve "$file" 0 "$work/before"
    solve "$file" 1e-6 "$work/after"
    name=$(basename "$word" .gz)
    after=$work/after
    printf '| %s | %s | %s | [%.3f, %.3f] | %s | %s | %.4g of %s |\n' "${name%.uai}" \
        "$(width "$work/before" log_lower log_upper)" "$(width "$after" log_lower log_upper)" \
        "$(get "$after" log_lower)" "$(get "$after" log_upper)" \
        "$(width "$after" confidence.log_lower confidence.log_upper)" \
        "$(get "$after" log_estimate)" "$(get "$after" confidence.effective | tr - 0)" \
        "$(get "$after" confidence.samples)"
done
