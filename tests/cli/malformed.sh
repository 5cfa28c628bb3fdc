# Every malformed file: exit 3, a message with file and line, nothing on stdout.
. "$(dirname "$0")/common.bash"

# expected FILE: stderr is the message that FILE.expect promises, with the name before it
expected() {
    [ "$(head -n 1 "$err")" = "zbound: $1:$(cat "$1.expect")" ] ||
        fail "$line: expected $(cat "$1.expect")"
}

# bad_files FOLDER LEAST: the malformed files of a folder, in $files
bad_files() {
    files=()
    for file in tests/data/$1/*.expect; do
        [ -e "$file" ] && files+=("${file%.expect}")
    done
    check "${#files[@]} malformed files in $1"
    [ "${#files[@]}" -ge "$2" ] || fail "only ${#files[@]} malformed files in $1"
}

for folder in bad_uai bad_lg bad_cnf bad_spins bad_bif; do
    bad_files $folder 10
    for file in "${files[@]}"; do
        run 3 bound "$file"
        expected "$file"
        run 3 info "$file" --json
        expected "$file"
    done
done

bad_files bad_mc 10
for file in "${files[@]}"; do
    run 3 "$file" --mc
    expected "$file"
done

printf 'MARKOV 4 2 3 2 1 1 4 0 1 2 3 12 1 1 1 1 1 1 1 1 1 1 1 1' >"$tmp/four.uai"
bad_files bad_evid 10
for file in "${files[@]}"; do
    run 3 "$tmp/four.uai" "$file"
    expected "$file"
done
bad_files bad_order 10
for file in "${files[@]}"; do
    run 3 exact "$tmp/four.uai" --order "$file"
    expected "$file"
done

check "the same from stdin, and cut off at every length"
write_small "$tmp/m.uai"
size=$(wc -c <"$tmp/m.uai")
for ((n = 0; n < size - 3; n += 7)); do
    line="zbound - with the first $n bytes"
    code=0
    head -c "$n" "$tmp/m.uai" | "$ZBOUND" - >"$out" 2>"$err" || code=$?
    [ "$code" = 3 ] || fail "$line: expected exit code 3"
    [ ! -s "$out" ] || fail "$line: stdout must be empty"
    says '^zbound: [^:]+:[0-9]+: '
done

check "evidence with trailing words, indices and values out of range"
for text in '1 9 0' '1 0 2' '1 0 0 7' 'x' '-1' '2 0 0 0 1'; do
    echo "$text" >"$tmp/e"
    run 3 "$tmp/m.uai" "$tmp/e"
    says "^zbound: $tmp/e:[0-9]+: "
done

check "order files: too short, twice the same, out of range"
for text in '5 0 1 2 3' '5 0 1 2 3 3' '5 0 1 2 3 5' '4 0 1 2 3' '5 0 1 2 3 4 0' 'x'; do
    echo "$text" >"$tmp/o"
    run 3 "$tmp/m.uai" --order "$tmp/o"
    says "^zbound: $tmp/o:[0-9]+: "
done
