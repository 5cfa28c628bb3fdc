# What is read: formats, compression, stdin, evidence in every dialect.
. "$(dirname "$0")/common.bash"
write_small "$tmp/m.uai"

check "a plain file, CRLF line ends, .gz, stdin: the same ln Z"
same() {
    run 0 "$@" --json
    near "$(get log_lower)" "$small_log_z" 1e-12
    near "$(get log_upper)" "$small_log_z" 1e-12
    key_is model "$1"
    key_is variables 5
    key_is factors 4
    key_is max_cardinality 3
}
same "$tmp/m.uai"
sed 's/$/\r/' "$tmp/m.uai" >"$tmp/crlf.uai"
same "$tmp/crlf.uai"
gzip -c "$tmp/m.uai" >"$tmp/z.uai.gz"
same "$tmp/z.uai.gz"
"$ZBOUND" - --json <"$tmp/m.uai" >"$out" 2>"$err" || fail "stdin"
near "$(get log_upper)" "$small_log_z" 1e-12
key_is model -
"$ZBOUND" - --json <"$tmp/z.uai.gz" >"$out" 2>"$err" || fail "gz on stdin"
near "$(get log_upper)" "$small_log_z" 1e-12

check "logarithms in .LG"
sed -n '1,8p' "$tmp/m.uai" >"$tmp/m.LG"
l2=0.69314718055994530942
for table in "0 $l2 $l2 0" "0 $l2 $l2 0" "0 $l2 $l2 0" "0 $l2 0 0"; do
    echo "4 $table" >>"$tmp/m.LG"
done
same "$tmp/m.LG"

check "logarithms from stdin, when said; a format that is said wins over the name"
"$ZBOUND" - --model-format lg --json <"$tmp/m.LG" >"$out" 2>"$err" || fail "LG on stdin"
near "$(get log_upper)" "$small_log_z" 1e-12
cp "$tmp/m.LG" "$tmp/logs.uai"
run 0 "$tmp/logs.uai" --model-format lg --json
near "$(get log_upper)" "$small_log_z" 1e-12
run 3 "$tmp/m.uai" --model-format cnf
says 'm.uai:1: expected a line p cnf first'
run 2 "$tmp/m.uai" --model-format pdf
says '--model-format: expected detect\|uai\|lg\|cnf\|spins'
for command in exact info order forney compare; do
    run 0 $command "$tmp/logs.uai" --model-format lg
done

check "byte order mark, comments, small letters; xz and zstd, or their names"
{ printf '\xEF\xBB\xBFc a comment\nc another\nmarkov\n'; tail -n +2 "$tmp/m.uai"; } >"$tmp/o.uai"
same "$tmp/o.uai"
run 0 generate ising --rows 90 --cols 90 --seed 4 -o "$tmp/large.uai"
quick=(--json --method mbe --ibound 2 --order natural) # it is read, and that is all
run 0 "$tmp/large.uai" "${quick[@]}"
hash=$(get model_hash)
missing=
packed() { # TOOL ENDING LIBRARY
    command -v "$1" >/dev/null || { missing="$missing $1"; return; }
    "$1" -c <"$tmp/large.uai" >"$tmp/large.uai.$2" 2>"$err" || fail "$1"
    code=0
    line="zbound large.uai.$2"
    "$ZBOUND" "$tmp/large.uai.$2" "${quick[@]}" >"$out" 2>"$err" || code=$?
    if [ $code = 0 ]; then
        key_is model_hash "$hash"
        "$ZBOUND" - "${quick[@]}" <"$tmp/large.uai.$2" >"$out" 2>"$err" ||
            fail "$2 on stdin"
        key_is model_hash "$hash"
    else
        [ $code = 3 ] || fail "$line: exit code $code"
        says "compressed by $1, and this zbound was built without $3"
    fi
}
packed xz xz liblzma
packed zstd zst libzstd
echo '1 1 0' >"$tmp/large.uai.evid"
[ ! -f "$tmp/large.uai.xz" ] || [ "$code" != 0 ] || {
    run 0 info "$tmp/large.uai.xz" --order natural --json
    key_is evidence "$tmp/large.uai.evid"
}
run 2 generate tree -o "$tmp/t.uai.xz"
says 'only .gz is written compressed'

check "formulas as they occur: notes on stderr and in JSON, projections refused"
printf 'c t wmc\np cnf 2 9\nw 1 -1\nw 2 0.25\n1\n2 0\n%%\n0\n' >"$tmp/f.cnf"
run 0 "$tmp/f.cnf" --json
near "$(get log_upper)" 0.22314355131420976 1e-12 # ln 1.25
says 'note: .*f.cnf:2: the header says 9 clauses, the file has 1'
[ "$(get notes)" = 1 ] || fail "notes"
get notes.0 | grep -q 'f.cnf:2: the header says 9 clauses' || fail "notes.0"
for command in info order compare; do
    run 0 $command "$tmp/f.cnf" --json
    get notes.0 | grep -q 'f.cnf:2: the header says 9 clauses' || fail "$command: notes.0"
done
run 0 forney "$tmp/f.cnf" --json -o "$tmp/f.uai"
get notes.0 | grep -q 'f.cnf:2: the header says 9 clauses' || fail "forney: notes.0"
printf 'c ind 1 0\np cnf 2 1\n1 2 0\n' >"$tmp/p.cnf"
run 3 "$tmp/p.cnf"
says "p.cnf:1: expected counting over all 2 variables, found a projection onto 1 \('c ind'\)"
printf 'c ind 1 0\nc ind 2 0\np cnf 2 1\n1 2 0\n' >"$tmp/p.cnf"
run 0 "$tmp/p.cnf" --json
near "$(get log_upper)" 1.0986122886681098 1e-12 # ln 3
silent

check "evidence dialects: x1 = 0 leaves Z = 3 * (5 * 5 + 4 * 3) = 111"
with=4.7095302013123339
evidence() {
    printf '%b' "$1" >"$tmp/e"
    run 0 "$tmp/m.uai" "$tmp/e" --json
    near "$(get log_upper)" "$with" 1e-12
    key_is evidence "$tmp/e"
    run 0 "$tmp/m.uai" "$tmp/e"
    shows "^evidence +$tmp/e: 1 observed, $2"
}
evidence '1 1 0\n' 'plain'
evidence '/* Evidence */ 1 1 0\n' '2006'
evidence '1\n1 1 0\n' '2010'
evidence '2\n1 1 0\n1 1 1\n' '2010.*first of 2 samples'
run 0 "$tmp/m.uai" "$tmp/e"
says '2 samples; the first'
gzip -c "$tmp/e" >"$tmp/e.gz"
run 0 "$tmp/m.uai" "$tmp/e.gz" --json
near "$(get log_upper)" "$with" 1e-12
echo '1 1 0' | "$ZBOUND" "$tmp/m.uai" - --json >"$out" 2>"$err" || fail "evidence on stdin"
near "$(get log_upper)" "$with" 1e-12

check "no evidence: 0, '1 0' on two lines, an empty file"
for text in '0' '1\n0\n' ''; do
    printf '%b' "$text" >"$tmp/e"
    run 0 "$tmp/m.uai" "$tmp/e" --json
    near "$(get log_upper)" "$small_log_z" 1e-12
done

check "--evidence-format decides"
printf '1 1 0' >"$tmp/e"
run 0 "$tmp/m.uai" "$tmp/e" --evidence-format plain
run 3 "$tmp/m.uai" "$tmp/e" --evidence-format samples
says "^zbound: $tmp/e:1: "

check "evidence beside the model is used, named, and can be turned off"
echo '1 1 0' >"$tmp/m.uai.evid"
run 0 "$tmp/m.uai" --json
near "$(get log_upper)" "$with" 1e-12
key_is evidence "$tmp/m.uai.evid"
run 0 "$tmp/m.uai"
shows 'found beside the model; --no-evidence turns it off'
run 0 "$tmp/m.uai" --no-evidence --json
near "$(get log_upper)" "$small_log_z" 1e-12
key_is evidence null
cp "$tmp/m.uai.evid" "$tmp/z.uai.evid"
run 0 "$tmp/z.uai.gz" --json
key_is evidence "$tmp/z.uai.evid"
rm "$tmp/m.uai.evid"
run 2 "$tmp/m.uai" "$tmp/e" --no-evidence

check "evidence that contradicts the model: Z = 0, exit 0, a note"
printf 'MARKOV 2 2 2 1 2 0 1 4 1 0 0 1' >"$tmp/eq.uai"
echo '2 0 0 1 1' >"$tmp/e"
run 0 "$tmp/eq.uai" "$tmp/e" --json
key_is log_upper -inf
key_is log_lower -inf
key_is log10_upper -inf
key_is exact true
says 'Z = 0'
[ "$(get notes)" = 1 ] || fail "notes"
get notes.0 | grep -q '^Z = 0' || fail "notes.0"
run 0 "$tmp/eq.uai" "$tmp/e" --quiet
shows 'Z = 0'
silent
run 0 exact "$tmp/eq.uai" "$tmp/e" --json
key_is log_upper -inf

check "files that cannot be read: exit 3"
run 3 "$tmp/none.uai"
says "^zbound: $tmp/none.uai"
run 3 "$tmp/m.uai" "$tmp/none.evid"
says "none.evid"
run 3 "$tmp"
run 2 - -
says 'only one file'

if [ -n "$missing" ]; then
    echo "skipped: files of$missing (not installed)"
    exit 77
fi

check "spins: three ways to say the same, --base and --beta"
printf '3 2\n1 2 0.5\n2 3 -0.25\n2 0.125\n' >"$tmp/list"
printf '# vartype=SPIN\n1 2 -0.5\n2 3 0.25\n2 2 -0.125\n' >"$tmp/list.coo"
run 0 "$tmp/list" --json
key_is variables 3
z=$(get log_upper)
run 0 "$tmp/list.coo" --json
near "$(get log_upper)" "$z" 1e-12
run 0 "$tmp/list" --base 1 --beta 2 --json
twice=$(get log_upper)
sed 's/0.5/1/; s/0.25/0.5/; s/0.125/0.25/' "$tmp/list" >"$tmp/double"
run 0 "$tmp/double" --json
near "$(get log_upper)" "$twice" 1e-12
run 3 "$tmp/list" --base 0
says 'list:3: expected a spin from 0 to 2'
run 0 "$tmp/list" --beta 0 --json
near "$(get log_upper)" 2.0794415416798357 1e-12

check "names: BIF, evidence by name"
cat >"$tmp/asia.bif" <<'END'
network asia { }
variable smoke { type discrete [ 2 ] { yes, no }; }
variable lung { type discrete [ 2 ] { yes, no }; }
probability ( smoke ) { table 0.5, 0.5; }
probability ( lung | smoke ) { (yes) 0.1, 0.9; (no) 0.01, 0.99; }
END
run 0 "$tmp/asia.bif" --evidence smoke=yes -e lung=no --json
near "$(get log_upper)" -0.79850769621777162 1e-12 # ln 0.45
run 0 "$tmp/asia.bif" --evidence smoke=yes,lung=yes --json
near "$(get log_upper)" -2.9957322735539909 1e-12 # ln 0.05
run 0 info "$tmp/asia.bif"
shows 'names +smoke \(yes, no\), lung \(yes, no\)'
run 2 "$tmp/asia.bif" --evidence smoke=maybe
says "no such state"
says "'yes', 'no'"
run 2 "$tmp/asia.bif" --evidence cough=yes
says "no such variable"
run 2 "$tmp/asia.bif" -e lung=yes,smok=yes
says "did you mean smoke"
run 2 "$tmp/list" -e 2=7
says "no such state"
run 0 "$tmp/asia.bif" --evidence smoke=yes -e lung=no
shows "^evidence +smoke=yes,lung=no"
run 2 "$tmp/asia.bif" -e smoke=yes -e smoke=no
says "in another state already"
run 0 "$tmp/list" --evidence 2=-1,3=1 --json

check "a list of spins by name is told what it lacks; a .uai file is not taken for one"
printf 'A B 1.0\n' | tee "$tmp/names.txt" >"$tmp/names.uai"
run 3 "$tmp/names.txt"
says "names.txt:1: expected MARKOV or BAYES, or two spins, which are numbers, found 'A'"
run 3 "$tmp/names.uai"
says "names.uai:1: expected MARKOV or BAYES, found 'A'"
