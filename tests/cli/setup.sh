# scripts/setup: each command asks for its own packages alone, and says what is missing.
. "$(dirname "$0")/common.bash"
stubs=$tmp/bin
mkdir "$stubs"
stub() { printf '#!/bin/sh\n%s\n' "$2" >"$stubs/$1"; chmod +x "$stubs/$1"; }

# setup CODE GROUP...: with the stubs before everything else
setup() {
    local want=$1
    shift
    line="scripts/setup $*"
    code=0
    PATH=$stubs:$PATH scripts/setup "$@" >"$out" 2>"$err" </dev/null || code=$?
    [ "$code" = "$want" ] || fail "$line: expected exit code $want"
}

check "without root: what is missing is named, and SETUP=no"
stub dpkg-query 'exit 1'
stub sudo 'exit 1'
stub id 'echo 1000'
stub apt-get "echo \"\$*\" >>$tmp/asked"
setup 1 build
says 'ask for: apt-get install build-essential cmake ninja-build pkg-config zlib1g-dev libjansson-dev$'
says 'make SETUP=no goes on'
says 'going on without.* scdoc'
if grep -qE 'clang|valgrind|gnuplot|cmocka' "$err"; then fail "the build needs none of these"; fi
setup 1 check deep
says 'clang'
says 'libcmocka-dev'
[ ! -e "$tmp/asked" ] || fail "apt-get was called without root"

check "what is optional is no error"
stub dpkg-query 'for p; do case $p in -*|scdoc|pkgconf) ;; *) echo "installed $p "; esac; done'
setup 0 build
says 'going on without.* scdoc'
setup 0 check
silent

check "as root: the groups that are asked for, and no others"
stub id 'echo 0'
stub dpkg-query 'exit 1'
setup 0 build
grep -q 'install .* cmake' "$tmp/asked" || fail "cmake was not installed"
if grep -q 'clang' "$tmp/asked"; then fail "clang is not needed for the build"; fi
setup 2 nonsense
says "no packages for 'nonsense'"
