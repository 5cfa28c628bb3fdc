#!/bin/bash
# The best states of models, beside toulbar2 (Debian's package, its default settings): rows of
# the table in docs/results/map.md.
#
#     bench/map.sh SECONDS OUT MODEL...
#
# Both have one thread and SECONDS. What toulbar2 finds is a state, whose weight zbound
# computes: ln Z given all variables. OUT keeps a line for each model; those that are there
# are not computed again. Seconds are those that the programs report. BEFORE is put before each command, as `chrt -f 5`.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
zbound=${ZBOUND:-$root/build/zbound}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
seconds=$1
out=$2
shift 2
touch "$out"

get() { "$root/build/json_get" "$@" 2>/dev/null || echo -; }
digits() { awk -v x="$1" -v n="${2:-6}" 'BEGIN { if (x + 0 == x) printf "%.*f", n, x; else print "-" }'; }

evidence_of() { # MODEL: the file of its observations, if there is one
    local file=${1%.gz}.evid
    [ ! -f "$file" ] || echo "$file"
}

ours() { # MODEL
    ${BEFORE:-} "$zbound" map "$1" --time "$seconds" --threads 1 --json --quiet >"$work/ours" ||
        echo '{}' >"$work/ours"
}

theirs() { # MODEL: optimum or limit, seconds, ln of the weight
    local name plain log=$work/log state=$work/state
    name=$(basename "$1" .gz)
    plain=$work/$name
    case $1 in *.gz) zcat "$1" >"$plain" ;; *) cp "$1" "$plain" ;; esac
    rm -f "$state"
    # shellcheck disable=SC2046
    (cd "$work" && ${BEFORE:-} timeout $((seconds + 20)) toulbar2 "$plain" $(evidence_of "$1") \
        -timer="$seconds" -w="$state") >"$log" 2>&1 || true
    their_time=$(sed -n 's/^Optimum.* and \([0-9.]*\) seconds.*/\1/p' "$log")
    their_time=$(printf '%.2f' "${their_time:-$seconds}")
    their_proof=$(grep -q '^Optimum' "$log" && echo optimal || echo -)
    their_value=-
    if [ -s "$state" ]; then
        tr -s ' \n' '\n\n' <"$state" | grep -v '^$' |
            awk '{ s = s " " NR - 1 " " $1 } END { print NR s }' >"$work/all.evid"
        "$zbound" exact "$1" "$work/all.evid" --json --quiet >"$work/weight" 2>/dev/null &&
            their_value=$(get "$work/weight" log_upper)
    fi
}

for model in "$@"; do
    name=$(basename "$(dirname "$model")")/$(basename "${model%.gz}" .uai)
    if ! grep -qF "| $name |" "$out"; then
        ours "$model"
        theirs "$model"
        optimal=$(get "$work/ours" optimal)
        printf '| %s | %s | %s | %s | %s | %s | %s | %s |\n' "$name" \
            "$(digits "$(get "$work/ours" log_value)")" \
            "$(digits "$(get "$work/ours" log_upper)")" \
            "$([ "$optimal" = true ] && echo optimal || echo -)" \
            "$(digits "$(get "$work/ours" seconds)" 2)" \
            "$(digits "$their_value")" "$their_proof" "$their_time" >>"$out"
    fi
    grep -F "| $name |" "$out"
done
