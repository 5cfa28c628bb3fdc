#!/bin/bash
# Method auto on the hard public models (../shared/data/hard), and two such tables compared.
#
#     bench/hard.sh run OUT.csv SECONDS [LIST]    a row a model; those in OUT.csv are left out, so
#                                                 a sweep that was stopped goes on when asked again
#     bench/hard.sh compare BEFORE.csv AFTER.csv  gaps side by side, and the mean of
#                                                 log2((1 + gap after) / (1 + gap before))
#     bench/hard.sh table BEFORE.csv SHORT.csv LONG.csv    the table of docs/results/hard.md
#     bench/hard.sh monotone SHORT.csv LONG.csv   models whose gap is larger by more than 1 % with
#                                                 the longer time
#     bench/hard.sh before OUT.csv                what 0.1.0 gave in 20 s and 6 GiB on one thread, from
#                                                 the index of DATA, as such a table
#     bench/hard.sh known OUT.csv                 are references and the best known states, which
#                                                 the index of DATA has, inside the brackets
#     bench/hard.sh parts OUT.csv SECONDS [LIST]  each side by single methods alone, with the same
#                                                 time: what auto should not be worse than
#     bench/hard.sh worse AUTO.csv PARTS.csv      sides on which the best of those is better than auto
#                                                 by more than 1 % of the gap of the best of both
#
# LIST has lines of paths below DATA; all models without it. From the environment: DATA (the
# folder), ZBOUND (the program), MEMORY (4G), THREADS (2), BEFORE (put before each command, as
# `chrt -f 5` on a machine that others use).
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
data=${DATA:-$root/../shared/data/hard}
zbound=${ZBOUND:-$root/build/zbound}
memory=${MEMORY:-4G}
threads=${THREADS:-2}

[ -d "$data" ] || { echo "skipped: $data is not here"; exit 0; }

models() { # [LIST]
    if [ $# -gt 0 ]; then
        grep -v '^#' "$1"
    else
        (cd "$data" && find . -name '*.uai.gz' -o -name '*.cnf.gz' -o -name '*.wcnf.gz' -o -name '*.dimacs.gz') |
            sed 's|^\./||' | sort
    fi
}

field() { # NAME: of the object on standard input, at its first level or in what is left of it
    grep -o "\"$1\": *[^,}]*" | head -1 | sed 's/^[^:]*: *//; s/"//g'
}

recipe() { # NAME
    grep -o "\"$1\": {[^}]*}" | head -1 | sed 's/^[^:]*: *{//; s/[}"]//g; s/[a-z]*: //g; s/, /:/g'
}

# One line of what a run says: exact,lower,upper,gap,confidence,lower_by,upper_by,stop,seconds
row() { # FILE
    local lower upper sampled
    lower=$(field log_lower <"$1") upper=$(field log_upper <"$1")
    sampled=$(grep -o '"confidence": {[^}]*}' "$1" || true)
    awk -v exact="$(field exact <"$1")" -v a="$lower" -v b="$upper" \
        -v c="$(field log_lower <<<"$sampled")" -v d="$(field log_upper <<<"$sampled")" \
        -v by="$(recipe lower_by <"$1"),$(recipe upper_by <"$1")" \
        -v stop="$(field stop <"$1")" -v seconds="$(field seconds <"$1")" 'BEGIN {
            known = a != "" && b != "" && a != "null" && b != "null"
            finite = known && a !~ /inf/ && b !~ /inf/
            gap = exact == "true" ? 0 : finite ? b - a : "inf"
            likely = c != "" && d != "" && c != "null" && d != "null" ? d - c : ""
            printf "%s,%s,%s,%s,%s,%s,%s,%.2f\n", exact, a, b, gap, likely, by, stop, seconds
        }'
}

solve() { # FILE SECONDS OUT OPTION...
    local file=$1 seconds=$2 out=$3
    shift 3
    ${BEFORE:-} "$zbound" "$file" --time "$seconds" --memory "$memory" --threads "$threads" \
        --json --quiet "$@" >"$out" 2>/dev/null
}

run() { # OUT SECONDS [LIST]
    local out=$1 seconds=$2 answer
    answer=$(mktemp)
    shift 2
    [ -s "$out" ] || echo "model,exact,lower,upper,gap,likely,lower_by,upper_by,stop,seconds" >"$out"
    while read -r model; do
        ! grep -qF "$model," "$out" || continue
        if solve "$data/$model" "$seconds" "$answer"; then
            echo "$model,$(row "$answer")" | tee -a "$out"
        else
            echo "$model,failed,,,,,,,," | tee -a "$out"
        fi
    done < <(models "$@")
    rm -f "$answer"
}

# The methods that an expert would ask for, each side alone.
parts() { # OUT SECONDS [LIST]
    local out=$1 seconds=$2 answer
    answer=$(mktemp)
    shift 2
    [ -s "$out" ] || echo "model,side,method,bound,seconds" >"$out"
    while read -r model; do
        ! grep -qF "$model," "$out" || continue
        for how in upper:wmbe-wtheta upper:wmbe-wg upper:trbp lower:wmbe-wtheta lower:mf; do
            local side=${how%%:*} method=${how#*:} bound=-
            if solve "$data/$model" "$seconds" "$answer" --side "$side" --method "$method" \
                --iterations 1000000; then
                bound=$(field "log_$side" <"$answer")
            fi
            echo "$model,$side,$method,$bound,$(field seconds <"$answer" || true)" | tee -a "$out"
        done
    done < <(models "$@")
    rm -f "$answer"
}

compare() { # BEFORE AFTER
    awk -F, 'FNR == 1 { next }
        NR == FNR { gap[$1] = $5; exact[$1] = $2; next }
        !($1 in gap) || gap[$1] == "" || $5 == "" { next }
        {
            more += exact[$1] != "true" && $2 == "true"
            less += exact[$1] == "true" && $2 != "true"
            if (gap[$1] == "inf" || $5 == "inf") {
                printf "%-50s %12s %12s\n", $1, gap[$1], $5
                next
            }
            change = log((1 + $5) / (1 + gap[$1])) / log(2)
            sum += change
            count++
            if (gap[$1] > 0 || $5 > 0)
                printf "%-50s %12.4f %12.4f %8.3f%s\n", $1, gap[$1], $5, change,
                    ($5 > 1.1 * gap[$1] + 0.001 ? "  worse" : "")
        }
        END {
            if (count > 0)
                printf "%d models, mean log2 %.4f; exact now: %d, no longer: %d\n", count,
                    sum / count, more, less
        }' "$1" "$2"
}

table() { # BEFORE SHORT LONG: what is exact in all of them is left out
    echo "| model | 0.1.0 | short | long | lower | by | upper | by | with confidence |"
    echo "|---|---|---|---|---|---|---|---|---|"
    awk -F, 'function short(x) { return x ~ /[0-9]/ ? sprintf("%.6g", x) : x }
        function gap_of() { return $2 == "true" ? "exact" : $2 == "failed" ? "refused" : short($5) }
        function how(x) { gsub(/:/, " ", x); return x == "" ? "-" : x }
        FNR == 1 { file++; next }
        file == 1 { before[$1] = gap_of(); next }
        file == 2 { soon[$1] = gap_of(); next }
        gap_of() == "exact" && before[$1] == "exact" && soon[$1] == "exact" { next }
        gap_of() == "refused" { next }
        {
            name = $1
            sub(/\.(uai|cnf|wcnf)\.gz$/, "", name)
            printf "| %s | %s | %s | %s | %.12g | %s | %.12g | %s | %s |\n", name,
                before[$1] == "" ? "not read" : before[$1], soon[$1], gap_of(), $3,
                how($7), $4, how($8), $2 == "true" ? "" : short($6)
        }' "$1" "$2" "$3"
}

monotone() { # SHORT LONG
    awk -F, 'FNR == 1 { next }
        NR == FNR { gap[$1] = $5; next }
        $1 in gap && gap[$1] != "inf" && gap[$1] != "" {
            count++
            if ($5 == "inf" || $5 > 1.01 * gap[$1] + 1e-6) {
                printf "%-50s %12.6g %12.6g\n", $1, gap[$1], $5
                worse++
            }
        }
        END { printf "%d models, %d with a larger gap\n", count, worse }' "$1" "$2"
}

# The index without the commas inside of quotes: its last column is in words.
columns() { # NAME...
    awk -F, -v want="$*" 'FNR == 1 {
            for (i = 1; i <= NF; i++) at[$i] = i
            n = split(want, name, " ")
            next
        }
        {
            line = ""
            for (i = 1; i <= n; i++) line = line (i > 1 ? "," : "") $at[name[i]]
            print line
        }' "$data/index.csv"
}

before() { # OUT
    columns file status lower upper gap seconds | awk -F, '
        BEGIN { print "model,exact,lower,upper,gap,likely,lower_by,upper_by,stop,seconds" }
        $2 == "exact" { print $1 ",true," $3 "," $4 ",0,,,,," $6 }
        $2 ~ /^bracket/ { print $1 ",false," $3 "," $4 "," $5 ",,,,," $6 }' >"$1"
}

# References have two decimals of a logarithm to base 10, or more; some are of other evidence.
known() { # OUT
    awk -F, -v slack=0.0116 'NR == FNR {
            reference[$1] = $4 == "n/a" ? "" : $2
            state[$1] = $3
            next
        }
        FNR == 1 || $3 == "" { next }
        reference[$1] ~ /[0-9]/ {
            count++
            if (reference[$1] < $3 - slack || reference[$1] > $4 + slack) {
                print $1 ": " reference[$1] " is not in " $3 " .. " $4
                wrong++
            }
        }
        state[$1] ~ /[0-9]/ {
            count++
            if (state[$1] > $4) {
                print $1 ": a state of " state[$1] " is above " $4
                wrong++
            }
        }
        END { printf "%d known values, %d outside\n", count, wrong }
    ' <(columns file reference mpe_lower_ref inside) "$1"
}

# The gap of the best single methods: the best upper less the best lower bound of any of them.
worse() { # AUTO PARTS
    awk -F, 'function is(x) { return x ~ /[0-9]/ }
        FNR == 1 { next }
        NR == FNR { lower[$1] = $3; upper[$1] = $4; exact[$1] = $2 == "true"; next }
        !($1 in upper) || !is($4) { next }
        $2 == "upper" && (!($1 in above) || $4 < above[$1]) { above[$1] = $4; up[$1] = $3 }
        $2 == "lower" && (!($1 in below) || $4 > below[$1]) { below[$1] = $4; down[$1] = $3 }
        function report(model, side, mine, best, by, excess, gap) {
            printf "%-45s %s %12.8g %12.8g %-11s %8.3g = %.2g of %.4g\n", model, side, mine, best, by, \
                excess, excess / gap, gap
            bad++
        }
        END {
            for (m in upper) {
                if (!(m in above) && !(m in below)) continue
                gap = (m in above) && (m in below) ? above[m] - below[m] : 1 / 0.0001
                sides += (m in above) + (m in below)
                slack = 0.01 * gap + 1e-6
                if (exact[m]) continue
                if ((m in above) && upper[m] - above[m] > slack)
                    report(m, "upper", upper[m], above[m], up[m], upper[m] - above[m], gap)
                if ((m in below) && !is(lower[m]))
                    report(m, "lower", "-inf", below[m], down[m], "inf", gap)
                else if ((m in below) && below[m] - lower[m] > slack)
                    report(m, "lower", lower[m], below[m], down[m], below[m] - lower[m], gap)
            }
            printf "%d sides, %d worse than a part\n", sides, bad
        }' "$1" "$2"
}

command=${1:-}
[ $# = 0 ] || shift
case $command in
run | parts | compare | table | monotone | before | known | worse) "$command" "$@" ;;
*) sed -n '2,22p' "$0"; exit 2 ;;
esac
