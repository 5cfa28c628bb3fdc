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
    echo "set title '{/:Bold $1}'"
    echo "set xlabel '$4'"
    echo "plot \"$(data "$2" both | sed 's/"/\\"/g')\" using $3:($5) with linespoints pt 7 lw 2 lc rgb '#0072B2' title 'forward and backward', \\"
    echo "     \"$(data "$2" forward | sed 's/"/\\"/g')\" using $3:($5) with linespoints pt 5 lw 2 lc rgb '#D55E00' title 'forward only'"
}
{
    cat << 'END'
set encoding utf8
set terminal svg size 900,660 font "DejaVu Sans,Verdana,sans-serif,12" background "white"
set output "docs/growth.svg"
set datafile separator ","
set logscale xy
set format x "10^{%L}"
set format y "10^{%L}"
set key left top Left reverse
set border 3 lc rgb "#57606a"
set tics nomirror out scale 0.5 textcolor rgb "#57606a"
set mxtics 1
set mytics 1
set grid ytics lt 1 lc rgb "#d8dee4"
set title offset 0,-0.4
set xlabel offset 0,0.4
set yrange [*:100]
set label 1 "a spin glass at each point, one thread; seconds are the quickest of several passes" at screen 0.08,0.02 textcolor rgb "#57606a" font ",11"
set multiplot layout 2,2 margins 0.08,0.98,0.13,0.95 spacing 0.11,0.15
END
    echo 'set ylabel "processor seconds of one pass"'
    panel "A: time, square grids, ibound 10" variables 2 variables '$6'
    echo 'unset label 1; set ylabel "gigabytes"'
    panel "B: memory, square grids, ibound 10" variables 2 variables '$7*1e-9'
    echo 'unset logscale x; set format x "%g"'
    echo 'set ylabel "processor seconds of one pass"'
    panel "C: time, 60x60 grid" ibound 3 ibound '$6'
    echo 'set ylabel "gigabytes"'
    panel "D: memory, 60x60 grid" ibound 3 ibound '$7*1e-9'
    echo 'unset multiplot'
} | gnuplot
