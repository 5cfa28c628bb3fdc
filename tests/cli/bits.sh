# The same bits on every machine: $ZBOUND has vector kernels for the processor at hand,
# $ZBOUND_PLAIN none at all. $ZBOUND_LIBRARY is the archive.
. "$(dirname "$0")/common.bash"
: "${ZBOUND_PLAIN:?the path of the plain program}" "${ZBOUND_LIBRARY:?the library}"

check "the library takes no exp, log, pow or fused operation from the C library"
if command -v nm >/dev/null; then
    foreign=$(nm "$ZBOUND_LIBRARY" 2>/dev/null |
        awk '$1 == "U" { print $2 }' | sort -u |
        grep -E '^_?((exp|log)(2|10|1p|m1)?|pow|fma|[sct]a?[ion][nsh]h?)[fl]?$|^_*_ZGV')
    [ -z "$foreign" ] || fail "called: $foreign"
fi

# same_numbers ARGUMENT...: of both programs
same_numbers() {
    local key mine
    run 0 bound "$@" --json --seed 1 --threads 1
    "$ZBOUND_PLAIN" bound "$@" --json --seed 1 --threads 1 >"$tmp/plain" 2>"$err" ||
        fail "$line: the plain program ends with $?"
    for key in log_lower log_upper log_estimate iterations order width; do
        mine=$(get $key) || continue
        [ "$mine" = "$("$JSON_GET" "$tmp/plain" $key)" ] ||
            fail "$line: $key is $mine, plain $("$JSON_GET" "$tmp/plain" $key)"
    done
}

check "every method on a grid, three values with zeros, five values, a pedigree"
run 0 generate ising --rows 6 --cols 6 --coupling 2 --seed 1 -o "$tmp/grid.uai"
run 0 generate random --variables 30 --factors 50 --cardinality 3 --zeros 0.2 --seed 2 \
    -o "$tmp/zeros.uai"
run 0 generate random --variables 20 --factors 40 --arity 2 --cardinality 5 --seed 3 \
    -o "$tmp/five.uai"
run 0 generate pedigree --seed 4 -o "$tmp/pedigree.uai"
for model in grid zeros five pedigree; do
    for method in be mbe wmbe wmbe-w wmbe-theta wmbe-wtheta trbp bp mf; do
        same_numbers "$tmp/$model.uai" --method $method --ibound 3 --iterations 15
    done
    for form in forney merged; do
        same_numbers "$tmp/$model.uai" --method wmbe-wg --form $form --ibound 3 \
            --iterations 15
    done
done
echo "kernels: $(get build.kernels)"
same_numbers "$tmp/grid.uai" --time 0 --ibound 3 --iterations 15 --memory 1M
same_numbers "$tmp/grid.uai" --method wmbe-wg --form lattice --ibound 3 --iterations 15

check "ranges that need logarithms"
run 0 generate ising --rows 6 --cols 6 --coupling 100 --seed 5 -o "$tmp/cold.uai.LG"
for method in be wmbe wmbe-wtheta trbp; do
    same_numbers "$tmp/cold.uai.LG" --method $method --ibound 3 --iterations 15
done
