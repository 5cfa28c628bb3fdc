# zbound-verify from outside: arguments, evidence, compression, output, exit codes.
. "$(dirname "$0")/common.bash"
if [ -z "${ZBOUND_VERIFY:-}" ]; then
    echo "skipped: verify.sh: libflint-arb-dev is not installed"
    exit 77
fi
ZBOUND=$ZBOUND_VERIFY
write_small "$tmp/m.uai" # Z = 204
certificate() { # FILE, LINES of the only section
    printf '%s\n' 'zbound-certificate 1' 'model 5 4' "${@:2}" end >"$1"
}
sums='sum 0
sum 1
sum 2
sum 3
sum 4'
certificate "$tmp/exact" exact "$sums" 'claim 5.318119993844 5.318119993845'
certificate "$tmp/upper" upper "$sums" 'claim 5.4'
certificate "$tmp/lower" lower 'states 0 1 2 3 4' 'state 0 1 1 0 2' 'claim 2'
certificate "$tmp/wrong" exact "$sums" 'claim 5.3181199938443 5.4'

# A refusal is an answer: exit code 1, and a line on stdout.
refused() {
    line="zbound-verify $*"
    code=0
    "$ZBOUND" "$@" >"$out" 2>"$err" </dev/null || code=$?
    [ "$code" = 1 ] || fail "$line: expected exit code 1"
}

check "verified and refused, in text"
run 0 "$tmp/m.uai" "$tmp/exact"
shows '^verified: 5\.31811999384421 <= ln Z <= 5\.31811999384422$'
silent
run 0 "$tmp/m.uai" "$tmp/upper"
shows '^verified: ln Z <= 5\.31811999384422$'
run 0 "$tmp/m.uai" "$tmp/lower"
shows '^verified: 2\.07944154167983 <= ln Z$'
refused "$tmp/m.uai" "$tmp/wrong"
shows '^refused: line 9: the claim of 5\.3181199938443 is not shown, the lower bound is 5\.3'

check "JSON"
run 0 "$tmp/m.uai" "$tmp/exact" --json
key_is verified true
key_is log_lower 5.31811999384421
key_is log_upper 5.31811999384422
run 0 --json "$tmp/m.uai" "$tmp/lower"
key_is log_upper null
refused --json "$tmp/m.uai" "$tmp/wrong"
key_is verified false
key_is line 9
certificate "$tmp/quote" exact '"\quoted'
refused --json "$tmp/m.uai" "$tmp/quote"
key_is reason "expected a step that this section may have, found '\"\\quoted'"

check "gzip and stdin for each file"
for file in m.uai exact; do
    gzip -c "$tmp/$file" >"$tmp/$file.gz"
done
run 0 "$tmp/m.uai.gz" "$tmp/exact.gz"
"$ZBOUND" - "$tmp/exact" <"$tmp/m.uai" >"$out" 2>"$err" || fail "the model from stdin"
"$ZBOUND" "$tmp/m.uai" - <"$tmp/exact.gz" >"$out" 2>"$err" || fail "the certificate from stdin"
head -c 100 "$tmp/exact.gz" >"$tmp/cut.gz"
run 3 "$tmp/m.uai" "$tmp/cut.gz"
says 'cut.gz: cannot be read'

check "evidence: given, found beside the model, turned off"
certificate "$tmp/observed" exact 'sum 1
sum 2
sum 3
sum 4' 'claim 4 5'
printf '1 0 1\n' >"$tmp/one.evid"
run 0 "$tmp/m.uai" "$tmp/one.evid" "$tmp/observed"
shows '^verified: 4\.70953020131233 <= ln Z <= 4\.70953020131234$' # Z = 111
cp "$tmp/one.evid" "$tmp/m.uai.evid"
run 0 "$tmp/m.uai" "$tmp/observed"
says 'with the evidence of .*m\.uai\.evid'
run 0 "$tmp/m.uai.gz" "$tmp/observed"
refused "$tmp/m.uai" "$tmp/exact"
shows 'line 4: there is no variable 0 any more'
run 0 "$tmp/m.uai" "$tmp/exact" --no-evidence
silent
rm "$tmp/m.uai.evid"

check "logarithms by the name of the file"
sed -n '1,8p' "$tmp/m.uai" >"$tmp/m.LG"
l2=0.69314718055994530942
for table in "0 $l2 $l2 0" "0 $l2 $l2 0" "0 $l2 $l2 0" "0 $l2 0 0"; do
    echo "4 $table" >>"$tmp/m.LG"
done
run 0 "$tmp/m.LG" "$tmp/exact"

check "memory"
refused "$tmp/m.uai" "$tmp/exact" --memory 5K
shows 'the 5120 bytes of --memory'
run 0 "$tmp/m.uai" "$tmp/exact" --memory 1M

check "files that cannot be read, wrong usage"
run 3 "$tmp/none.uai" "$tmp/exact"
says 'none.uai: cannot be read'
run 3 "$tmp/exact" "$tmp/exact"
says 'exact:1: expected MARKOV or BAYES'
run 2
run 2 "$tmp/m.uai"
run 2 - -
run 2 "$tmp/m.uai" "$tmp/exact" --memory lots
run 2 "$tmp/m.uai" "$tmp/one.evid" "$tmp/exact" --no-evidence
run 0 --help
shows '^usage: zbound-verify'
