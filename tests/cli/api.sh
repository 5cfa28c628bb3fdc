# Every function that zbound.h declares is called with bad arguments by tests/test_api*.c, and
# the program uses no other header of the library.
. "$(dirname "$0")/common.bash"

check "test_api.c knows every public function"
cc -fpreprocessed -dD -E -P include/zbound.h 2>/dev/null | tr '\n' ' ' |
    grep -oE '\bzb_[a-z0-9_]+ ?\(' | tr -d ' (' | sort -u >"$tmp/declared"
[ "$(wc -l <"$tmp/declared")" -gt 50 ] || fail "the header could not be read"
while read -r name; do
    case $name in zb_generate_*) name=zb_generate_ ;; esac # by a macro
    grep -q "$name" tests/test_api*.c || fail "tests/test_api*.c does not call $name"
done <"$tmp/declared"

check "the program sees the public header alone"
folders=$(cd src && printf '%s|' */ | tr -d /)
if grep -nE "#include \"(${folders%|})/" app/*.[ch] app/*/*.[ch] tools/*.c >"$out"; then
    fail "the program includes internal headers"
fi
