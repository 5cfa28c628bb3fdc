# --certificate: zbound-verify follows what zbound writes, and proves what it prints.
. "$(dirname "$0")/common.bash"
if [ -z "${ZBOUND_VERIFY:-}" ]; then
    echo "skipped: certificate.sh: libflint-arb-dev is not installed"
    exit 77
fi
write_small "$tmp/small.uai"
run 0 generate ising --rows 5 --cols 5 --seed 3 -o "$tmp/grid.uai"

# The certificate of the last run, whose claims are its bracket, is accepted; it has the
# sides that were printed.
verified() { # MODEL [EVIDENCE] CERTIFICATE
    lower=$(get log_lower) upper=$(get log_upper)
    "$ZBOUND_VERIFY" "$@" --json >"$out" 2>"$err" || fail "$*: $(cat "$out" "$err")"
    [ "$lower" = null ] || [ "$(get log_lower)" != null ] || fail "$*: no lower bound"
    [ "$upper" = null ] || [ "$(get log_upper)" != null ] || fail "$*: no upper bound"
}

check "every method"
for words in "" "--method be" "--method mf" "--side upper" \
    "--method mbe --ibound 3" "--method wmbe-wtheta --ibound 3 --iterations 20" \
    "--method wmbe-wg --ibound 4 --iterations 20 --form lattice" \
    "--method wmbe-g --ibound 4 --iterations 20 --form forney --side upper"; do
    # shellcheck disable=SC2086
    run 0 bound "$tmp/grid.uai" --json --certificate "$tmp/c" $words
    verified "$tmp/grid.uai" "$tmp/c"
done
run 0 exact "$tmp/grid.uai" --json --certificate "$tmp/c"
verified "$tmp/grid.uai" "$tmp/c"

check "a bracket of auto"
run 0 generate ising --rows 30 --cols 30 --seed 1 -o "$tmp/large.uai"
for seconds in 0.6 4 20; do # a slow build may be too late to write it down, and says so
    rm -f "$tmp/c"
    run 0 "$tmp/large.uai" --json --time $seconds --memory 400M --certificate "$tmp/c"
    [ ! -e "$tmp/c" ] || break
    says 'no certificate: the time was over'
done
key_is exact false
verified "$tmp/large.uai" "$tmp/c"

check "evidence, .gz, another model"
printf '1 3 1\n' >"$tmp/grid.evid"
run 0 "$tmp/grid.uai" "$tmp/grid.evid" --json --certificate "$tmp/c.gz"
verified "$tmp/grid.uai" "$tmp/grid.evid" "$tmp/c.gz"
gzip -t "$tmp/c.gz" || fail "not gzip"
! "$ZBOUND_VERIFY" "$tmp/grid.uai" "$tmp/c.gz" >"$out" || fail "without the evidence"
! "$ZBOUND_VERIFY" "$tmp/small.uai" "$tmp/c.gz" >"$out" || fail "another model"

check "formulas"
awk 'BEGIN { srand(5); print "p cnf 30 60"
    for (k = 0; k < 60; k++) {
        for (i = 0; i < (k % 20 == 0 ? 14 : 3); i++)
            printf "%d ", (rand() < 0.5 ? -1 : 1) * (1 + int(30 * rand()))
        print 0 }
    for (v = 1; v <= 30; v += 3) print "c p weight", v, v "/40 0" }' >"$tmp/f.cnf"
gzip -c "$tmp/f.cnf" >"$tmp/f2.cnf.gz"
run 0 "$tmp/f.cnf" --json --certificate "$tmp/c"
verified "$tmp/f.cnf" "$tmp/c"
verified "$tmp/f2.cnf.gz" "$tmp/c"
run 0 "$tmp/f.cnf" --json --method wmbe-wtheta --ibound 4 --iterations 20 --certificate "$tmp/c"
key_is exact false
verified "$tmp/f.cnf" "$tmp/c"

check "what has none"
run 2 bound "$tmp/grid.uai" --method trbp --certificate "$tmp/c"
says 'has no certificate'
run 2 bound "$tmp/grid.uai" --method wmbe --certificate "$tmp/c" --save "$tmp/s"
says 'does not go with --save'
run 2 bound "$tmp/grid.uai" --certificate "$tmp/no/such/folder"
says "certificate: cannot write"

check "all or nothing"
run 0 generate ising --rows 200 --cols 200 --seed 1 -o "$tmp/huge.uai"
echo "an older one" >"$tmp/c"
mkdir "$tmp/new"
for file in "$tmp/new/c" "$tmp/new/c.gz" "$tmp/c"; do
    run 0 "$tmp/huge.uai" --json --time 0.01 --certificate "$file"
    says 'no certificate: the time was over'
done
[ "$(cat "$tmp/c")" = "an older one" ] || fail "the file of an earlier run was touched"
[ -z "$(ls "$tmp/new")" ] || fail "something was left: $(ls "$tmp/new")"
run 0 "$tmp/grid.uai" --json --certificate "$tmp/c"
verified "$tmp/grid.uai" "$tmp/c"
[ ! -e "$tmp/c.part" ] || fail "c.part was left"
run 0 "$tmp/grid.uai" --json --certificate /dev/null
