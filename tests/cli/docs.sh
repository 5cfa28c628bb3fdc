# The documents: their commands are run, and what they print is compared.
. "$(dirname "$0")/common.bash"
check "start and guides"
ZBOUND=$ZBOUND scripts/run_docs >"$out" 2>"$err" || fail "$(cat "$out")"

check "a wrong number is noticed, and a line too few"
for change in s/0.1483335986/0.1483345986/ '/xray=normal/d'; do
    sed "$change" docs/guide-bayes.md >"$tmp/changed.md"
    ! cmp -s docs/guide-bayes.md "$tmp/changed.md" || fail "nothing changed by $change"
    ! scripts/run_docs "$tmp/changed.md" >"$out" 2>"$err" || fail "not noticed: $change"
done
