# --checkpoint in one process: what is kept, taken up, refused.
. "$(dirname "$0")/common.bash"
run 0 generate random --variables 28 --factors 700 --arity 2 --cardinality 2 --seed 1 \
    -o "$tmp/wide.uai"
options=(--memory 64M --time 0 --threads 1 --json)

check "the answer is the same, and a second run has nothing left to solve"
run 0 "$tmp/wide.uai" "${options[@]}"
lower=$(get log_lower) upper=$(get log_upper)
run 0 "$tmp/wide.uai" "${options[@]}" --checkpoint "$tmp/kept"
key_is log_lower "$lower"
file=$(echo "$tmp"/kept/slices-*)
before=$(cksum <"$file")
run 0 "$tmp/wide.uai" "${options[@]}" --checkpoint "$tmp/kept"
key_is log_lower "$lower"
key_is log_upper "$upper"
[ "$before" = "$(cksum <"$file")" ] || fail "$line: slices were solved again"

check "slices that are missing are solved, a record that is cut short is left out"
size=$(stat -c %s "$file")
truncate -s $((size - 3)) "$file"
run 0 "$tmp/wide.uai" "${options[@]}" --checkpoint "$tmp/kept"
key_is log_lower "$lower"
[ "$size" = "$(stat -c %s "$file")" ] || fail "$line: not all slices are there"

check "a bracket is gone on from"
run 0 generate ising --rows 40 --cols 40 --coupling 1 --seed 1 -o "$tmp/glass.uai"
run 0 "$tmp/glass.uai" --time 2 --threads 1 --json --checkpoint "$tmp/glass"
first=$(get log_lower) last=$(get log_upper)
run 0 "$tmp/glass.uai" --time 0.1 --threads 1 --json --checkpoint "$tmp/glass"
at_most "$first" "$(get log_lower)"
at_most "$(get log_upper)" "$last"

check "an answer stands where its checkpoint cannot be written"
cp -r "$tmp/glass" "$tmp/full"
rm "$tmp/full/bracket"
mkdir "$tmp/full/.new" # where files are written first
run 0 "$tmp/glass.uai" --time 0.1 --threads 1 --json --checkpoint "$tmp/full"
says "could not be written"

check "damage anywhere is refused, never believed"
for name in run bracket "$(basename "$file")"; do
    cp -r "$tmp/kept" "$tmp/bad"
    size=$(stat -c %s "$tmp/bad/$name")
    for at in 0 $((size / 3)) $((size / 2)) $((size - 1)); do
        cp "$tmp/kept/$name" "$tmp/bad/$name"
        old=$(od -An -tu1 -j "$at" -N 1 "$tmp/bad/$name")
        printf "\\$(printf %o $(((old + 1) % 256)))" |
            dd of="$tmp/bad/$name" bs=1 seek="$at" conv=notrunc 2>"$err"
        run 3 "$tmp/wide.uai" "${options[@]}" --checkpoint "$tmp/bad"
        says "$name|another model"
    done
    rm -r "$tmp/bad"
done

check "another model, another seed, a file in its place"
run 3 "$tmp/glass.uai" "${options[@]}" --checkpoint "$tmp/kept"
says "another model"
run 3 "$tmp/wide.uai" "${options[@]}" --seed 2 --checkpoint "$tmp/kept"
run 3 "$tmp/wide.uai" "${options[@]}" --checkpoint "$tmp/wide.uai"
run 2 "$tmp/wide.uai" --method mbe --checkpoint "$tmp/kept"
says "method auto"
