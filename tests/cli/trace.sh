# One meaning of "iteration": in the trace, JSON, the report, `compare` and --iterations.
. "$(dirname "$0")/common.bash"
run 0 generate ising --rows 10 --cols 10 --seed 2 -o "$tmp/m.uai"

# sides of the trace: every iteration of a side is there, in order, and no line twice
trace_is_whole() { # ITERATIONS
    awk -v most="$1" '
        function value(key,  s) {
            s = $0
            sub(".*\"" key "\": \"?", "", s)
            sub("[,}\"].*", "", s)
            return s
        }
        {
            side = value("side"); i = value("iteration") + 0
            bounds = value("log_upper") " " value("log_lower")
            if (side != "both" && side != "upper" && side != "lower") bad("no side")
            if (side != "both" && i != last[side] && i != last[side] + 1) bad("a leap")
            if (side "," i "," bounds == before) bad("twice")
            before = side "," i "," bounds
            last[side] = i
        }
        function bad(why) { print why ": " $0; failed = 1 }
        END {
            top = last["upper"] > last["lower"] ? last["upper"] : last["lower"]
            if (top != most) { print "ends at " top; failed = 1 }
            exit failed
        }' "$tmp/trace" >>"$err" || fail "$line: the trace"
}

for method in mbe wmbe-w wmbe-wtheta wmbe-wg; do
    for asked in 0 1 30 70; do
        run 0 "$tmp/m.uai" --method $method --ibound 4 --iterations $asked --tolerance 0 \
            --trace "$tmp/trace" --json
        made=$(get iterations)
        at_most "$made" $asked
        [ "$(get stop)" != iterations ] || [ $method = mbe ] || key_is iterations $asked
        trace_is_whole "$made"
        near "$(tail -n 1 "$tmp/trace" | "$JSON_GET" - log_upper)" "$(get log_upper)" 0
        near "$(tail -n 1 "$tmp/trace" | "$JSON_GET" - log_lower)" "$(get log_lower)" 0
    done
done
check "mini-bucket methods: every iteration is in the trace, once"

run 0 "$tmp/m.uai" --method trbp --iterations 20 --tolerance 0 --trace "$tmp/trace" --json
trace_is_whole "$(get iterations)"
grep -q '"side": "upper"' "$tmp/trace" || fail "trbp has an upper side"
check "trbp"

run 0 "$tmp/m.uai" --method wmbe-wtheta --ibound 4 --iterations 30 --tolerance 0
shows 'stopped after 30 iterations'
shows 'more iterations \(--iterations 60\)'
run 0 compare "$tmp/m.uai" --methods wmbe-wtheta --ibound 4 --iterations 30 --tolerance 0 \
    --time 0 --json
key_is methods.1.method wmbe-wtheta
key_is methods.1.iterations 30
check "the report, its advice and compare say the same number"

run 0 generate ising --rows 40 --cols 40 --seed 2 -o "$tmp/large.uai"
run 0 "$tmp/large.uai" --method wmbe-wtheta --ibound 12 --iterations 1000000 --tolerance 0 \
    --time 1 --trace "$tmp/trace" --json
trace_is_whole "$(get iterations)"
key_is stop time
check "where the clock ends it, that is the reason; reports in between are no lines"

run 0 exact "$tmp/m.uai" --trace "$tmp/trace"
[ "$(wc -l <"$tmp/trace")" = 1 ] || fail "exact: one line"
"$JSON_GET" - side <"$tmp/trace" | grep -qx both || fail "exact: both sides"
check "exact: one line, without a side of its own"
