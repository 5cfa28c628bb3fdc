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

data() { echo "< awk -F, '\$1==\"$1\" && \$4==\"$2\"' $csv"; }
# panel TITLE SERIES COLUMN XLABEL VALUE
panel() {
    echo "set title '$1'"
    echo "set xlabel '$4'"
    echo "plot \"$(data "$2" both | sed 's/"/\\"/g')\" using $3:($5) with linespoints pt 7 lw 2 lc rgb '#0072B2' title 'forward and backward', \\"
    echo "     \"$(data "$2" forward | sed 's/"/\\"/g')\" using $3:($5) with linespoints pt 5 lw 2 lc rgb '#D55E00' title 'forward only'"
}
{
    cat << 'END'
set encoding utf8
set terminal svg size 900,640 font "DejaVu Sans,Verdana,sans-serif,12" background "white"
set output "docs/growth.svg"
set datafile separator ","
set logscale xy
set format x "10^{%L}"
set format y "10^{%L}"
set key left top Left reverse
set border 3
set tics nomirror
set grid ytics lt 1 lc rgb "#d8dee4"
set multiplot layout 2,2
END
    echo 'set ylabel "processor seconds of one pass"'
    panel "A: time, square grids, ibound 10" variables 2 variables '$6'
    echo 'set ylabel "gigabytes"'
    panel "B: memory, square grids, ibound 10" variables 2 variables '$7*1e-9'
    echo 'unset logscale x; set format x "%g"'
    echo 'set ylabel "processor seconds of one pass"'
    panel "C: time, 60x60 grid" ibound 3 ibound '$6'
    echo 'set ylabel "gigabytes"'
    panel "D: memory, 60x60 grid" ibound 3 ibound '$7*1e-9'
    echo 'unset multiplot'
} | gnuplot
