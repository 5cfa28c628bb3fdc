#!/bin/bash
# How passes grow: measures into docs/results/growth.csv (not with --plot), draws
# docs/growth.svg.
set -euo pipefail
cd "$(dirname "$0")/.."
csv=docs/results/growth.csv

if [ "${1:-}" != --plot ]; then
    scripts/build build bench_bench_pass
    build/bench/bench_pass growth > "$csv.new"
    mv "$csv.new" "$csv"
fi
command -v gnuplot > /dev/null || { echo "growth.sh: there is no gnuplot" >&2; exit 1; }

gnuplot << END
set terminal svg size 900,380 font "sans,12" background "white"
set output "docs/growth.svg"
set datafile separator ","
set logscale xy
set format x "10^{%L}"
set format y "10^{%L}"
set key left top
set grid
set multiplot layout 1,2
set title "ibound 10, square grids"
set xlabel "variables"
set ylabel "seconds (full) and gigabytes (dashed)"
data(series, way, column) = sprintf("< awk -F, '\$1==\"%s\" && \$4==\"%s\"' $csv", series, way)
plot data("variables", "both", 6) using 2:6 with linespoints pt 7 lc 1 title "forward and backward", \
     "" using 2:(\$7*1e-9) with linespoints pt 6 lc 1 dt 2 notitle, \
     data("variables", "forward", 6) using 2:6 with linespoints pt 7 lc 2 title "forward only", \
     "" using 2:(\$7*1e-9) with linespoints pt 6 lc 2 dt 2 notitle
set title "60x60 grid"
set xlabel "ibound"
unset logscale x
set format x "%g"
plot data("ibound", "both", 6) using 3:6 with linespoints pt 7 lc 1 title "forward and backward", \
     "" using 3:(\$7*1e-9) with linespoints pt 6 lc 1 dt 2 notitle, \
     data("ibound", "forward", 6) using 3:6 with linespoints pt 7 lc 2 title "forward only", \
     "" using 3:(\$7*1e-9) with linespoints pt 6 lc 2 dt 2 notitle
unset multiplot
END
