#!/bin/bash
# Certificates of public models, checked: one CSV line each, with the sizes of the files,
# what writing (seconds) and checking (of the processor) took, and the verdict. The last line of standard error counts
# what was not verified; the exit status is 1 if anything was not.
#
#   bench/certificates.sh [-t SECONDS] [-b FOLDER] [DATA [NAME...]]
#
# SECONDS (10) is zbound's time for each, FOLDER (build) has the programs, DATA
# (../shared) the folders data/ and reference/, NAME is part of the name of a model.
set -euo pipefail
cd "$(dirname "$0")/.."
time=10 build=build
while getopts t:b: option; do
    case $option in
    t) time=$OPTARG ;;
    b) build=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
shared=${1:-../shared}
[ $# -eq 0 ] || shift
names=("$@")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0 count=0

wanted() { # NAME
    local part
    [ ${#names[@]} -gt 0 ] || return 0
    for part in "${names[@]}"; do
        case $1 in *"$part"*) return 0 ;; esac
    done
    return 1
}

key() { # KEY FILE: of a JSON object in one line
    sed -n "s/.*\"$1\": *\"\{0,1\}\([^,\"}]*\).*/\1/p" "$2"
}

# One model: its certificate, and what zbound-verify says.
certify() { # NAME MODEL [EVIDENCE] -- OPTIONS...
    local name=$1 files=() word
    shift
    wanted "$name" || return 0
    while [ "$1" != -- ]; do
        files+=("$1")
        shift
    done
    shift
    count=$((count + 1))
    rm -f "$tmp/c.gz" "$tmp/cost" "$tmp/answer"
    : >"$tmp/answer"
    if ! "$build/zbound" bound "${files[@]}" --time "$time" --json \
        --certificate "$tmp/c.gz" "$@" >"$tmp/answer" 2>"$tmp/error"; then
        word="no answer: $(tail -n 1 "$tmp/error")"
    elif [ ! -f "$tmp/c.gz" ]; then
        word="no certificate"
    elif /usr/bin/time -f "%U %M" -o "$tmp/cost" timeout 900 "$build/zbound-verify" \
        "${files[@]}" "$tmp/c.gz" --memory 8G >"$tmp/verdict" 2>&1; then
        word=verified
    else
        word=$(tail -n 1 "$tmp/verdict")
    fi
    [ "$word" = verified ] || failed=$((failed + 1))
    read -r seconds kilobytes < <(tail -n 1 "$tmp/cost" 2>/dev/null || echo 0 0) || true
    printf '%s,%s,%s,%s,%s,%s,%s,%s,%s\n' "$name" "$(key exact "$tmp/answer")" \
        "$(key log_lower "$tmp/answer")" "$(key log_upper "$tmp/answer")" \
        "$(key seconds "$tmp/answer")" "$(stat -c %s "$tmp/c.gz" 2>/dev/null || echo 0)" \
        "$seconds" "$((kilobytes / 1024))" "$word"
}

echo "model,exact,log_lower,log_upper,seconds,bytes,verify_seconds,verify_mib,verdict"

# The paper's worked example, one gauged bound of each family, a 40x40 spin glass.
golden=$shared/reference/golden_ising4.forney.uai
certify "worked example" "$golden" -- --method be
for method in mbe wmbe wmbe-w wmbe-theta wmbe-wtheta wmbe-g wmbe-wg; do
    certify "worked example, $method" "$golden" -- --method $method --ibound 3 --iterations 100
done
for form in forney lattice; do
    certify "grid10_T1.0, $form" "$shared/reference/grid10_T1.0_s0.uai" -- \
        --method wmbe-wg --form $form --ibound 6 --iterations 100 --side upper
done
"$build/zbound" generate regular --factors 300 --chord random --seed 1 -o "$tmp/regular.uai" >/dev/null
certify "3-regular, 300 factors" "$tmp/regular.uai" -- \
    --method wmbe-wg --ibound 6 --iterations 100 --side upper
certify "40x40 spin glass" "$shared/reference/grid40z_T1.0.uai.gz" --

for model in "$shared"/data/{linkage,Promedus,Pedigree,Segmentation,Grids,Alchemy,relational,cnf,DBN,CSP,ObjectDetection}/*.uai.gz; do
    name=$(basename "$model" .uai.gz)
    certify "$name" "$model" "${model%.gz}.evid" --
done

# Harder ones, formulas among them; both programs find the evidence that lies beside a model.
for model in "$shared"/data/hard/*/*.{uai,cnf}.gz; do
    certify "$(basename "$(dirname "$model")")/$(basename "$model" .gz)" "$model" --
done
echo "$count certificates, $failed not verified" >&2
[ $failed -eq 0 ]
