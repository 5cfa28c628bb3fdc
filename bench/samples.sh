#!/bin/bash
# What draws add to method auto: each model without them (--delta 0) and with them, into a
# file of rows; what is there already is not run again, so that it can be stopped at any time.
#
#     bench/samples.sh [-o ROWS] SECONDS MODEL...   a file, FILE@T (its tables to the power T), or
#                                                 ising:SIDE:COUPLING[:periodic]
#     bench/samples.sh [-o ROWS] SECONDS all        the models of docs/results/samples.md;
#                                                   those outside the repository in DATA
#     bench/samples.sh [-o ROWS] table              the rows as the tables of that page
#
# ROWS is bench/samples.csv by default, DATA ../shared. BEFORE is put before each command, as
# `chrt -f 5` on a machine that others use; ZBOUND is the program, build/zbound by default;
# THREADS 2 by default.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rows=$root/bench/samples.csv
data=${DATA:-$root/../shared}
zbound=${ZBOUND:-$root/build/zbound}
threads=${THREADS:-2}
if [ "$1" = -o ]; then
    rows=$2
    shift 2
fi

all_models() {
    local size t
    for size in 40 100; do
        for t in 0.5 1 2; do echo "ising:$size:$t"; done
        for t in 0.5 1 2; do echo "ising:$size:$t:periodic"; done
    done
    if [ -f "$data/reference/grid40z_T1.0.uai.gz" ]; then
        for t in '' @0.5 @2; do echo "$data/reference/grid40z_T1.0.uai.gz$t"; done
    fi
    for t in pic_grids/grid20x20.f10.wrap pic_grids/grid20x20.f15.wrap pic_grids/grid20x20.f5.wrap \
        pic_grids/grid40x40.f10 pic_grids/grid40x40.f15 pic_grids/grid40x40.f2 pic_grids/grid40x40.f5 \
        pic_grids/grid80x80.f10.wrap pic_grids/grid80x80.f2 pic_rus/rus_20_40_0_3 \
        pdb_folding/pdb1kwh pdb_folding/pdb1i24 protein/1a2j uai06_bn/BN_12 \
        uai14map_protein/ProteinFolding_11 dwave/pegasus_P4_RAU_b1 uai14_BN/BN_42; do
        [ -f "$data/data/hard/$t.uai.gz" ] && echo "$data/data/hard/$t.uai.gz"
    done
    return 0
}

to_power() { # FILE T: every entry of a model without evidence in its file, to the power T
    zcat -f "$1" | tr -s ' \n' '\n' | awk -v t="$2" '
        NR == 2 { nvars = $1 }
        NR == 3 + nvars { left = $1; arity = 0 }
        NR > 3 + nvars && left > 0 { if (arity == 0) arity = $1; else if (--arity == 0) left--; scope = 1 }
        NR > 3 + nvars && left == 0 && !scope { if (entries-- > 0) $1 = sprintf("%.17g", $1 ^ t); else entries = $1 }
        { scope = 0; print }'
}

model() { # WORD: the file it stands for
    IFS=: read -r kind side coupling periodic <<<"$1"
    if [ "${1##*@}" != "$1" ]; then
        to_power "${1%@*}" "${1##*@}" >"$work/model.uai"
        echo "$work/model.uai"
        return
    fi
    if [ "$kind" != ising ]; then
        echo "$1"
        return
    fi
    "$zbound" generate ising --rows "$side" --cols "$side" --coupling "$coupling" \
        --field 0.1 --seed 1 ${periodic:+--periodic} -o "$work/model.uai"
    echo "$work/model.uai"
}

solve() { # FILE DELTA OUT
    ${BEFORE:-} "$zbound" "$1" --time "$seconds" --threads "$threads" --delta "$2" --json --quiet >"$3"
}

get() { "$root/build/json_get" "$@" 2>/dev/null || echo -; }
name_of() {
    local name
    name=$(basename "${1%@*}" .gz)
    name=${name%.uai}
    [ "${1##*@}" = "$1" ] || name=$name@${1##*@}
    echo "$name"
}

run_one() { # WORD
    local name file after=$work/after
    name=$(name_of "$1")
    grep -q "^$seconds,$threads,$name," "$rows" 2>/dev/null && return
    file=$(model "$1")
    solve "$file" 0 "$work/before"
    solve "$file" 1e-6 "$after"
    printf '%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s\n' "$seconds" "$threads" "$name" \
        "$(get "$work/before" log_lower)" "$(get "$work/before" log_upper)" \
        "$(get "$after" log_lower)" "$(get "$after" log_upper)" \
        "$(get "$after" confidence.log_lower)" "$(get "$after" confidence.log_upper)" \
        "$(get "$after" log_estimate)" "$(get "$after" confidence.effective)" \
        "$(get "$after" confidence.samples)" >>"$rows"
}

table() {
    local kind s t
    for kind in $(tail -n +2 "$rows" | cut -d, -f1,2 | sort -t, -k2,2nr -k1,1n -u); do
        IFS=, read -r s t <<<"$kind"
        printf '\n%s seconds, threads: %s\n\n' "$s" "$t"
        printf '| model | proved gap, no draws | with draws | proved bracket | with confidence | estimate | effective draws |\n|---|---|---|---|---|---|---|\n'
        awk -F, -v s="$s" -v t="$t" '
            function is(x) { return x != "-" && x != "null" && x != "" }
            function width(a, b) { return is(a) && is(b) ? sprintf("%.4g", b - a) : "-" }
            $1 == s && $2 == t {
                likely = $6 - $7 > -1e-6 && is($6) ? "exact" : width($8, $9)
                printf "| %s | %s | %s | [%.3f, %.3f] | %s | %s | %s |\n", $3, width($4, $5), \
                    width($6, $7), $6, $7, likely, is($10) ? sprintf("%.4f", $10) : "-", \
                    is($11) ? sprintf("%.4g of %s", $11, $12) : "-"
            }' "$rows"
    done
}

if [ "$1" = table ]; then
    table
    exit
fi
seconds=$1
shift
[ -f "$rows" ] || echo seconds,threads,model,plain_lower,plain_upper,lower,upper,likely_lower,likely_upper,estimate,effective,samples >"$rows"
if [ "$1" = all ]; then
    mapfile -t words < <(all_models)
    set -- "${words[@]}"
fi
for word in "$@"; do run_one "$word"; done
