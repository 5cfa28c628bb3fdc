#!/bin/bash
# bench/counting.sh [SECONDS] [ZBOUND...]: formulas of ../shared/data, one thread, 4 GiB:
# processor seconds and the bracket, for each program (build/zbound by default). What `bound`
# does not read (projections, negative weights) is counted by --mc. Rows of Markdown.
set -u
cd "$(dirname "$0")/.."
seconds=${1:-20}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- build/zbound
data=../shared/data
[ -d "$data" ] || { echo "skipped: no $data" && exit 77; }
out=$(mktemp) && time=$(mktemp) && trap 'rm -f "$out" "$time"' EXIT

# exact VALUE, or LOWER .. UPPER, natural logarithms
bracket() { # PROGRAM FILE
    /usr/bin/time -f %U -o "$time" "$1" "$2" --time "$seconds" --threads 1 --memory 4G \
        --json --no-progress >"$out" 2>&1 || return
    local lower upper
    lower=$(grep -o '"log_lower": *[^,}]*' "$out" | head -1 | sed 's/.*: *//' | tr -d '"')
    upper=$(grep -o '"log_upper": *[^,}]*' "$out" | head -1 | sed 's/.*: *//' | tr -d '"')
    if grep -q '"exact": *true' "$out"; then
        printf '%.9g' "${lower//null/-inf}"
    else
        printf '%.6g .. %.6g' "${lower//null/-inf}" "${upper//null/inf}"
    fi
}

count() { # PROGRAM FILE
    /usr/bin/time -f %U -o "$time" "$1" "$2" --mc --time "$seconds" --threads 1 \
        --memory 4G --no-progress >"$out" 2>&1
    sed -n 's/^c s log10-estimate \(.*\)/\1/p' "$out" | awk '{ printf "%.9g", $1 * log(10) }'
    grep -q '^c s exact' "$out" || printf 'not counted'
}

for file in "$data"/hard/{cachet_grid,cachet_qmr}/*.fix2.cnf.gz \
    "$data"/hard/{cachet_plan,iscas89,mc2022_mc,mc2022_wmc,mc2024,sharpsat_td}/*.cnf.gz \
    "$data"/hard/projected/*.dimacs.gz "$data"/hard/{planning,uai14_cnf}/*.uai.gz \
    "$data"/cnf/*.uai.gz; do
    [[ "$file" == *${ONLY:-}* ]] || continue
    row="| $(basename "$file" .gz)"
    for program; do
        answer=$(bracket "$program" "$file")
        [ -n "$answer" ] || answer=$(count "$program" "$file")
        row="$row | $answer | $(tail -1 "$time")"
    done
    echo "$row |"
done
